package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.connection.SqlExecutor;
import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Deadline;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteErrorCode;

/** One deadline for each operation, and what is done again until then. */
class SqlExecutorTest {

  @TempDir Path directory;

  private SqlExecutor executor;

  @BeforeEach
  void open() {
    Dialect dialect = new SqliteDialect();
    String url = "sqlite:" + directory.resolve("locks.db");
    executor =
        new SqlExecutor(
            url,
            dialect,
            SqliteConnections.pool(SqliteFile.of(url), dialect),
            1,
            Duration.ofSeconds(20));
  }

  @AfterEach
  void close() {
    executor.close();
  }

  @Test
  void an_operation_whose_time_was_spent_waiting_for_its_turn_does_not_start() {
    Deadline soon = Deadlines.in(Duration.ofMillis(50));
    AtomicInteger runs = new AtomicInteger();

    executor.submit(
        "join",
        "first",
        session -> {
          while (!soon.isOver()) {
            LockSupport.parkNanos(1_000_000);
          }
          return true;
        });
    CompletableFuture<Integer> second =
        executor.submit("join", "second", soon, session -> runs.incrementAndGet());

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(second))
        .withMessageContaining("join of 'second'")
        .withMessageContaining("still queued behind other operations");
    assertThat(runs).hasValue(0);
  }

  @Test
  void operations_run_in_the_order_in_which_they_were_handed_over() {
    List<Integer> order = new ArrayList<>();
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      answers.add(executor.submit("join", "lock", session -> order.add(number)));
    }
    answers.forEach(Ask::of);

    assertThat(order).hasSize(100).isSorted();
  }

  @Test
  void what_surely_did_nothing_is_done_again() {
    AtomicInteger runs = new AtomicInteger();

    int needed =
        Ask.of(
            executor.submit(
                "join",
                "lock",
                session -> {
                  if (runs.incrementAndGet() < 5) {
                    throw new SQLException("busy", "", SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT.code);
                  }
                  return runs.get();
                }));

    assertThat(needed).isEqualTo(5);
  }

  @Test
  void any_other_failure_is_unknown_at_once_and_the_connection_is_replaced() {
    AtomicInteger runs = new AtomicInteger();
    StoreConnection before = Ask.of(executor.submit("join", "lock", session -> session));

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () ->
                Ask.of(
                    executor.submit(
                        "join",
                        "lock",
                        session -> {
                          runs.incrementAndGet();
                          throw new SQLException("", "", SQLiteErrorCode.SQLITE_IOERR_WRITE.code);
                        })))
        .withMessageContaining("the disk reported an error");

    assertThat(runs).hasValue(1);
    StoreConnection after = Ask.of(executor.submit("join", "lock", session -> session));
    assertThat(after).isNotSameAs(before);
  }

  @Test
  void a_failed_transaction_leaves_nothing_behind() {
    StoreConnection.Work<Integer> failing =
        session ->
            session.inTransaction(
                transaction -> {
                  transaction.run("UPDATE holdfast_schema SET format = 7");
                  throw new IllegalStateException("half-way");
                });

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(executor.submit("join", "lock", failing)))
        .withMessageContaining("half-way");

    // Opens again, and would refuse tables of format 7.
    boolean opened = Ask.of(executor.submit("join", "lock", session -> true));
    assertThat(opened).isTrue();
  }

  @Test
  void a_closed_one_says_so() {
    executor.close();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(executor.submit("join", "lock", session -> true)))
        .withMessageEndingWith("is closed");
  }
}
