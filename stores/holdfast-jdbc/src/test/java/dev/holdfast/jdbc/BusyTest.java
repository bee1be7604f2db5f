package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody else has the file locked. */
class BusyTest {

  private static final Duration SHORT = Duration.ofMillis(300);

  /** Even on a busy machine an operation comes to its turn within this. */
  private static final Duration ENOUGH = Duration.ofSeconds(3);

  @TempDir Path directory;

  private TestDatabase database;

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void a_file_that_stays_locked_makes_the_answer_unknown_and_never_busy_or_gone() throws Exception {
    LockStore store = open(SHORT);
    Claim held = Ask.mutex("held");
    Ask.join(store, held);
    database.run("BEGIN IMMEDIATE");

    for (CompletionStage<?> answer :
        List.of(
            store.join(Ask.mutex("lock"), false, Deadlines.in(SHORT)),
            store.refresh(List.of(held), Deadlines.in(SHORT)),
            store.leave(List.of(Departure.of(held)), Deadlines.in(SHORT)),
            store.leave(List.of(Departure.withTombstone(held)), Deadlines.in(SHORT)),
            store.evict("held", LockStore.ANY_TOKEN))) {
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Ask.of(answer));
    }

    database.run("ROLLBACK");
    assertThat(Ask.refresh(store, held)).isInstanceOf(Granted.class);
  }

  @Test
  void the_message_names_the_store_the_lock_and_the_reason() throws Exception {
    LockStore store = open(ENOUGH);
    database.run("BEGIN IMMEDIATE");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(store.join(Ask.mutex("orders/42"), false, Deadlines.in(ENOUGH))))
        .withMessage(
            "No answer from sqlite:"
                + database.file
                + " to the join of 'orders/42': it may or may not have taken effect"
                + " (others kept the file locked all the time).")
        .satisfies(e -> assertThat(e.lockName()).isEqualTo("orders/42"));

    database.run("ROLLBACK");
  }

  @Test
  void a_file_that_is_freed_in_time_is_waited_for() throws Exception {
    LockStore store = open(TestDatabase.TIMEOUT);
    Claim held = Ask.mutex("held");
    Ask.join(store, held);
    database.run("BEGIN IMMEDIATE");

    CompletionStage<JoinAnswer> joined = store.join(Ask.mutex("lock"), false, Deadlines.far());
    var refreshed = store.refresh(List.of(held), Deadlines.far());
    var left = store.leave(List.of(Departure.of(held)), Deadlines.far());
    assertThat(joined.toCompletableFuture()).isNotDone();
    database.run("ROLLBACK");

    assertThat(Ask.of(joined)).isInstanceOf(Granted.class);
    assertThat(Ask.of(refreshed).get(held)).isInstanceOf(Granted.class);
    assertThat(Ask.of(left)).containsEntry(held, Left.LEFT);
  }

  @Test
  void an_inspection_is_not_kept_waiting() throws Exception {
    LockStore store = open(SHORT);
    Ask.join(store, Ask.mutex("lock"));
    database.run("BEGIN IMMEDIATE");

    assertThat(Ask.of(store.inspect("lock")).isHeld()).isTrue();
    assertThat(Ask.of(store.list("", 10))).hasSize(1);

    database.run("ROLLBACK");
  }

  private LockStore open(Duration timeout) {
    LockStore store =
        database.open(
            SqliteConnections.pool(SqliteFile.of("sqlite:" + database.file), database.dialect()),
            timeout);
    Ask.of(store.inspect("behind the sweep that opening starts"));
    return store;
  }
}
