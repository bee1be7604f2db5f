package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.testkit.StoredFenceContract;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What both fences promise on every engine. */
abstract class JdbcFenceContract extends StoredFenceContract {

  private static final FenceColumn ACCOUNTS = FenceColumn.of("test_account", "id", "fence");

  private final String account = "account/" + UUID.randomUUID();

  private FenceDatabase database;

  /** The database's URL. */
  abstract String url();

  @BeforeEach
  void make() {
    database = new FenceDatabase(url());
  }

  @Override
  protected Fence fence() {
    return database.fence();
  }

  /** By the engine's own means; what is not a number only where a column takes it. */
  @Override
  protected void overwrite(String name, String text) throws Exception {
    try (Connection connection = database.autoCommitting();
        PreparedStatement update =
            connection.prepareStatement("UPDATE holdfast_fence SET token = ? WHERE name = ?")) {
      Dialect dialect = Dialects.of(connection);
      bind(update, text);
      dialect.setText(update, 2, name);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @Override
  protected String place(String name) {
    return "row '" + name + "' of holdfast_fence";
  }

  @Override
  protected List<String> damages() {
    return damages(url(), super.damages());
  }

  /** Only SQLite keeps text in a column of numbers, unless it can make a number of it. */
  static List<String> damages(String url, List<String> texts) {
    return url.startsWith("jdbc:sqlite:")
        ? texts.stream().filter(text -> !text.strip().matches("[+]?[0-9]{1,18}|1e3")).toList()
        : wrongNumbers();
  }

  static void bind(PreparedStatement statement, String text) throws SQLException {
    if (text.matches("-?[0-9]{1,19}")) {
      statement.setLong(1, Long.parseLong(text));
    } else {
      statement.setString(1, text);
    }
  }

  @Test
  void a_client_of_the_store_finds_the_same_fence() {
    isTheFenceOf(storeUrl());
  }

  String storeUrl() {
    return url();
  }

  @Test
  void the_check_and_the_write_commit_together() {
    database.transact(
        connection -> {
          JdbcFence.in(connection).enter(proof(7));
          FenceDatabase.set(connection, 70);
        });
    database.transact(
        connection -> {
          JdbcFence.in(connection).enter(proof(8));
          FenceDatabase.set(connection, 80);
        });
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(
            () ->
                database.transact(
                    connection -> {
                      FenceDatabase.set(connection, 71); // written too early: rolled back
                      JdbcFence.in(connection).check(proof(7));
                    }));
    assertThat(database.balance()).isEqualTo(80);
  }

  @Test
  void a_fence_that_was_raised_and_rolled_back_is_as_it_was() throws Exception {
    database.fence().enter(proof(7));
    try (Connection connection = database.begin()) {
      JdbcFence.in(connection).enter(proof(8));
      connection.rollback();
    }
    database.fence().check(proof(7));
  }

  @Test
  void a_holder_that_comes_back_while_the_next_one_works_is_refused() throws Exception {
    database.fence().enter(proof(7));
    CompletableFuture<Void> late;
    try (Connection next = database.begin()) {
      JdbcFence.in(next).enter(proof(8));
      late = CompletableFuture.runAsync(() -> writeAs(7, 71));
      FenceDatabase.set(next, 80);
      next.commit();
    }
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(late::join)
        .withCauseInstanceOf(StaleTokenException.class);
    assertThat(database.balance()).isEqualTo(80);
  }

  private void writeAs(long token, int balance) {
    database.transact(
        connection -> {
          JdbcFence.in(connection).check(proof(token));
          FenceDatabase.set(connection, balance);
        });
  }

  @Test
  void two_that_enter_a_new_name_at_once_both_get_an_answer() {
    for (int round = 0; round < 20; round++) {
      String lock = account + "/new/" + round;
      CompletableFuture<?>[] both = {enters(lock, 1), enters(lock, 2)};
      CompletableFuture.allOf(both).join();
      assertThatExceptionOfType(StaleTokenException.class)
          .isThrownBy(() -> database.fence().check(proof(lock, 1)));
    }
  }

  /** An engine may choose one of the two as the victim of a deadlock: that one tries again. */
  private CompletableFuture<Void> enters(String lock, long token) {
    return CompletableFuture.runAsync(
        () -> {
          while (true) {
            try {
              database.fence().enter(proof(lock, token));
              return;
            } catch (StaleTokenException refused) {
              return;
            } catch (StoreException deadlock) {
              assertThat(deadlock).hasMessageContaining("roll back");
            }
          }
        });
  }

  @Test
  void a_connection_without_a_transaction_is_refused() throws Exception {
    try (Connection connection = database.autoCommitting()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> JdbcFence.in(connection).enter(proof(7)))
          .withMessageContaining("setAutoCommit(false)");
    }
  }

  /** {@code IF NOT EXISTS} does not see what somebody else is about to commit. */
  @Test
  void those_that_make_the_table_at_the_same_time_agree() throws Exception {
    int makers = 6;
    for (int round = 0; round < 10; round++) {
      database.alone("DROP TABLE holdfast_fence");
      CyclicBarrier start = new CyclicBarrier(makers);
      List<CompletableFuture<Void>> made = new ArrayList<>();
      for (int i = 0; i < makers; i++) {
        made.add(
            CompletableFuture.runAsync(() -> prepare(start), task -> new Thread(task).start()));
      }
      CompletableFuture.allOf(made.toArray(CompletableFuture<?>[]::new)).join();
    }
  }

  private void prepare(CyclicBarrier start) {
    try (Connection connection = database.autoCommitting()) {
      start.await(1, TimeUnit.MINUTES);
      JdbcFence.prepare(connection);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_missing_table_is_named_with_what_makes_it() {
    database.alone("DROP TABLE holdfast_fence");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> database.fence().enter(proof(7)))
        .withMessageContaining("holdfast_fence")
        .withMessageContaining("JdbcFence.prepare")
        .withMessageContaining(".sql");
  }

  @Test
  void a_row_with_a_fence_takes_the_writes_of_its_holder() throws Exception {
    try (Connection connection = database.autoCommitting()) {
      ACCOUNTS.enter(connection, 1, proof(7));
      ACCOUNTS.update(connection, 1, proof(7), "balance = balance - ?", 10);
      ACCOUNTS.update(connection, 1, proof(7), "balance = balance - ?", 10);
      ACCOUNTS.update(connection, 1, proof(7), "balance = ?", 80); // what it is already
    }
    assertThat(database.balance()).isEqualTo(80);
    assertThat(database.number("fence")).isEqualTo(7);
  }

  @Test
  void a_row_with_a_fence_refuses_an_older_holder() throws Exception {
    try (Connection connection = database.autoCommitting()) {
      ACCOUNTS.enter(connection, 1, proof(7));
      ACCOUNTS.enter(connection, 1, proof(8));
      assertThatExceptionOfType(StaleTokenException.class)
          .isThrownBy(() -> ACCOUNTS.update(connection, 1, proof(7), "balance = ?", 71))
          .satisfies(stale -> assertThat(stale.current()).isEqualTo(8));
    }
    assertThat(database.balance()).isEqualTo(100);
  }

  @Test
  void a_row_with_a_fence_refuses_within_a_transaction_that_began_before() throws Exception {
    try (Connection old = database.begin();
        Connection next = database.autoCommitting()) {
      ACCOUNTS.enter(next, 1, proof(7));
      readBalance(old); // some engines show the rest of the transaction what this saw
      ACCOUNTS.enter(next, 1, proof(8));
      assertRefused(old);
      old.rollback();
    }
    assertThat(database.balance()).isEqualTo(100);
  }

  /** As stale, or because its view of the data is out of date. */
  private void assertRefused(Connection old) {
    try {
      ACCOUNTS.update(old, 1, proof(7), "balance = ?", 71);
    } catch (StaleTokenException | SQLException refused) {
      return;
    }
    throw new AssertionError("the older holder has written");
  }

  private static void readBalance(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT balance FROM test_account WHERE id = 1")) {
      assertThat(rows.next()).isTrue();
    }
  }

  @Test
  void a_row_with_a_fence_lets_readers_write_but_not_raise() throws Exception {
    Proof reader = new Proof(account, 9, Mode.SHARED, owner());
    try (Connection connection = database.autoCommitting()) {
      ACCOUNTS.update(connection, 1, reader, "balance = ?", 90);
      ACCOUNTS.update(connection, 1, proof(8), "balance = ?", 80);
    }
    assertThat(database.balance()).isEqualTo(80);
  }

  @Test
  void a_row_that_does_not_exist_is_named() throws Exception {
    try (Connection connection = database.autoCommitting()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ACCOUNTS.update(connection, 2, proof(7), "balance = ?", 1))
          .withMessageContaining("test_account")
          .withMessageContaining("id = 2");
    }
  }

  @Test
  void names_that_are_not_plain_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FenceColumn.of("account; DROP TABLE account", "id", "fence"))
        .withMessageContaining("account; DROP TABLE account");
  }

  private Proof proof(long token) {
    return proof(account, token);
  }

  static Proof proof(String lock, long token) {
    return new Proof(lock, token, Mode.EXCLUSIVE, owner());
  }

  private static Owner owner() {
    return new Owner("host", 1, "thread", "client", "fenced");
  }
}
