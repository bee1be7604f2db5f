package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.sql.GroupPath;
import dev.holdfast.jdbc.sql.GroupPath.Request;
import dev.holdfast.jdbc.sql.GroupPath.Verb;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one statement does for many claims, and what it leaves alone. */
@NeedsServer(Server.POSTGRESQL)
class GroupPathIT {

  private final ManualTicker ticker = new ManualTicker();
  private final PostgresDialect dialect = new PostgresDialect();
  private final GroupPath path = dialect.groupPath(new OwnerCodec(), false);
  private Database database;
  private Connection connection;
  private Connection other;
  private LockStore store;

  @BeforeEach
  void open() throws Exception {
    database = PostgresServer.shared().newDatabase();
    connection = database.connect();
    other = database.connect();
    store =
        new JdbcProvider()
            .open(
                database.url() + "&holdfast.listen=false",
                new StoreSettings(ticker, Duration.ofSeconds(20)));
    Stream.of("a", "b", "c", "d").map(Ask::mutex).forEach(this::usedOnce);
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
    other.close();
    store.close();
    database.close();
    ticker.close();
  }

  @Test
  void free_locks_are_taken_held_ones_renewed_and_released() throws Exception {
    Claim taken = Ask.mutex("a").asking(3, 0);
    Claim renewed = Ask.mutex("b");
    Claim released = Ask.mutex("c");
    long held = ((Granted) Ask.join(store, renewed)).token();
    Ask.join(store, released);

    Map<Claim, Long> done =
        run(
            new Request(Verb.TAKE, taken),
            new Request(Verb.RENEW, renewed.publishing("new")),
            new Request(Verb.RELEASE, released));

    assertThat(done.values()).hasSize(3);
    assertThat(done).containsEntry(renewed.publishing("new"), held);
    Granted again = (Granted) Ask.join(store, taken);
    assertThat(again.token()).isEqualTo(done.get(taken));
    assertThat(Ask.of(store.inspect("b")).holders().get(0).value()).isEqualTo("new");
    assertThat(Ask.refresh(store, released)).isEqualTo(Gone.GONE);
    Ask.leave(store, taken);
    assertThat(((Granted) Ask.join(store, Ask.mutex("a"))).token())
        .as("above the spares")
        .isGreaterThan(done.get(taken) + 3);
  }

  @Test
  void what_another_has_is_left_alone() throws Exception {
    Claim holder = Ask.mutex("a");
    Granted granted = (Granted) Ask.join(store, holder);

    assertThat(
            run(
                new Request(Verb.TAKE, Ask.mutex("a")),
                new Request(Verb.RENEW, Ask.mutex("b")),
                new Request(Verb.RELEASE, Ask.mutex("c"))))
        .isEmpty();

    assertThat(Ask.refresh(store, holder)).isEqualTo(granted);
  }

  @Test
  void a_lock_that_others_wait_for_is_renewed_but_neither_taken_nor_released() throws Exception {
    Claim holder = Ask.mutex("a");
    Claim waiter = Ask.mutex("a");
    Granted granted = (Granted) Ask.join(store, holder);
    assertThat(Ask.queue(store, waiter)).isEqualTo(new Queued(1));

    assertThat(run(new Request(Verb.RELEASE, holder))).isEmpty();
    assertThat(run(new Request(Verb.RENEW, holder))).containsEntry(holder, granted.token());
    assertThat(run(new Request(Verb.RENEW, waiter))).isEmpty();
    execute(other, "UPDATE holdfast_lock SET claim_id = NULL WHERE name = 'a'");
    assertThat(run(new Request(Verb.TAKE, Ask.mutex("a")))).isEmpty();
  }

  @Test
  void a_lock_without_a_row_is_left_alone() throws Exception {
    assertThat(run(new Request(Verb.TAKE, Ask.mutex("new")))).isEmpty();

    assertThat(Ask.of(store.inspect("new")).holders()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"format = 2", "token = -1", "token = 0, claim_id = 'x'", "expires = 1"})
  void a_row_that_is_not_as_it_should_be_is_left_alone(String change) throws Exception {
    Claim holder = Ask.mutex("a");
    Ask.join(store, holder);
    execute(other, "UPDATE holdfast_lock SET " + change + " WHERE name = 'a'");

    assertThat(run(new Request(Verb.RENEW, holder))).isEmpty();
    assertThat(run(new Request(Verb.RELEASE, holder))).isEmpty();
  }

  @Test
  void a_row_that_another_transaction_has_locked_is_passed_over() throws Exception {
    other.setAutoCommit(false);
    execute(other, "SELECT 1 FROM holdfast_lock WHERE name = 'b' FOR UPDATE");
    Claim first = Ask.mutex("a");
    Claim locked = Ask.mutex("b");
    Claim last = Ask.mutex("c");

    assertThat(
            run(
                new Request(Verb.TAKE, last),
                new Request(Verb.TAKE, locked),
                new Request(Verb.TAKE, first)))
        .containsOnlyKeys(first, last);

    other.rollback();
    assertThat(run(new Request(Verb.TAKE, locked))).containsOnlyKeys(locked);
  }

  @Test
  void a_renewal_does_not_shorten_a_ttl() throws Exception {
    Claim holder = Ask.mutex("a");
    Ask.join(store, holder);

    assertThat(run(new Request(Verb.RENEW, holder.lasting(Duration.ofMillis(100))))).isEmpty();
  }

  private void usedOnce(Claim claim) {
    Ask.join(store, claim);
    Ask.leave(store, claim);
  }

  private Map<Claim, Long> run(Request... requests) throws SQLException {
    return path.run(new StoreConnection(connection, dialect), List.of(requests));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
