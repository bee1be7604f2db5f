package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Kind;
import dev.holdfast.jdbc.dialect.MySqlQueuePath;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.jdbc.sql.QueuePath;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a claim waits for changes while its renewal waits for the lock row, where one request tells
 * how it stands. That request is sent as it is: the answers are its own, not those of the slow path
 * behind it, and an empty one leaves everything as it was.
 */
abstract class RenewalContract extends QueuePathContract {

  private static final Optional<Standing> NOTHING = Optional.empty();

  /** All that a renewal could write, of all locks. */
  private static final String ROWS =
      """
      SELECT GROUP_CONCAT(r.said ORDER BY r.said) FROM (
        SELECT CONCAT_WS('/', name, claim_id, ttl, expires, last_token) AS said FROM holdfast_lock
        UNION ALL SELECT CONCAT_WS('/', claim_id, state, token, ttl, expires) FROM holdfast_claim
      ) r""";

  private Connection connection;
  private StoreConnection session;

  abstract Dialect dialect();

  @BeforeEach
  void connect() throws Exception {
    connection = DriverManager.getConnection(database().url() + "&allowMultiQueries=true");
    // As the store's own: there a statement passes over a locked row that does not match, unwaited.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    session = new StoreConnection(connection, dialect(), dialect().takesScripts(connection));
  }

  @AfterEach
  void disconnect() throws Exception {
    connection.close();
  }

  @Test
  void nothing_happens_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewed(next())).contains(new Queued(1));
    assertThat(renewed(last())).contains(new Queued(2));

    standings(holder(), next(), last());
  }

  @Test
  void its_turn_comes_while_it_is_renewed() throws Exception {
    hold(store()); // which expects others, and so passes the lock on at its first attempt

    Optional<Standing> answer =
        renewedAfter(next(), () -> store().leave(List.of(Departure.of(holder())), Deadlines.far()));

    assertThat(answer).contains(new Granted(token()));
    assertThat(Long.parseLong(text("SELECT ttl FROM holdfast_lock WHERE name = 'lock'")))
        .isEqualTo(lifetime(next().ttl()));
    standings(next(), last());
  }

  @Test
  void the_turn_of_the_one_ahead_comes_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewedAfter(last(), () -> others().leave(inOneStep(holder()), Deadlines.far())))
        .contains(new Queued(1));

    standings(next(), last());
  }

  @Test
  void the_one_ahead_leaves_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewedAfter(last(), () -> others().leave(inOneStep(next()), Deadlines.far())))
        .contains(new Queued(1));

    standings(holder(), last());
  }

  @Test
  void all_ahead_leave_while_it_is_renewed() throws Exception {
    hold(others());

    List<Departure> both = List.of(Departure.of(holder()), Departure.of(next()));

    assertThat(renewedAfter(last(), () -> others().leave(both, Deadlines.far())))
        .contains(new Granted(token()));

    standings(last());
  }

  @Test
  void the_holder_is_evicted_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewedAfter(next(), () -> others().evict("lock", LockStore.ANY_TOKEN)))
        .contains(new Granted(token()));

    standings(next(), last());
  }

  @Test
  void it_is_granted_and_evicted_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(Ask.of(others().evict("lock", LockStore.ANY_TOKEN))).isTrue();

    assertThat(renewedAfter(next(), () -> others().evict("lock", LockStore.ANY_TOKEN)))
        .isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), next())).isEqualTo(Gone.GONE);
    standings(last());
  }

  @Test
  void the_holder_is_renewed_while_it_is() throws Exception {
    hold(others());

    assertThat(renewedAfter(next(), () -> others().refresh(List.of(holder()), Deadlines.far())))
        .contains(new Queued(1));

    standings(holder(), next(), last());
  }

  @Test
  void it_is_renewed_twice_at_once() throws Exception {
    hold(others());

    assertThat(renewedAfter(next(), () -> others().refresh(List.of(next()), Deadlines.far())))
        .contains(new Queued(1));

    standings(holder(), next(), last());
  }

  @Test
  void another_queues_up_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewedAfter(last(), () -> others().join(late(), true, Deadlines.far())))
        .contains(new Queued(2));

    standings(holder(), next(), last(), late());
  }

  @Test
  void it_leaves_while_it_is_renewed() throws Exception {
    hold(others());

    assertThat(renewedAfter(next(), () -> others().leave(inOneStep(next()), Deadlines.far())))
        .isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), next())).isEqualTo(Gone.GONE);
    standings(holder(), last());
  }

  @Test
  void its_tombstone_arrives_while_it_is_renewed() throws Exception {
    hold(others());

    Departure withdrawn = new Departure(next(), Duration.ZERO, true);

    assertThat(renewedAfter(next(), () -> others().leave(List.of(withdrawn), Deadlines.far())))
        .isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), next())).isEqualTo(Gone.GONE);
    standings(holder(), last());
  }

  @Test
  void the_holder_lingers_while_it_is_renewed() throws Exception {
    hold(others());

    Departure lingering = new Departure(holder(), Duration.ofSeconds(9), false);

    assertThat(renewedAfter(next(), () -> others().leave(List.of(lingering), Deadlines.far())))
        .isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), next())).isEqualTo(new Queued(1));
    assertThat(Ask.refresh(others(), last())).isEqualTo(new Queued(2));
  }

  @Test
  void it_ends_while_its_renewal_waits_for_the_row() throws Exception {
    hold(others());

    Claim brief = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofMillis(100));
    assertThat(Ask.queue(others(), brief)).isEqualTo(new Queued(3));

    assertThat(renewedOnceExpired(brief, brief, "holdfast_claim")).isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), brief)).isEqualTo(Gone.GONE);
    standings(holder(), next(), last());
  }

  @Test
  void its_grant_ends_while_its_renewal_waits_for_the_row() throws Exception {
    Claim brief = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofMillis(100));
    assertThat(Ask.join(others(), brief)).isInstanceOf(Granted.class);

    assertThat(renewedOnceExpired(brief, brief, "holdfast_lock")).isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), brief)).isEqualTo(Gone.GONE);
  }

  @Test
  void another_that_waits_ends_while_its_renewal_waits_for_the_row() throws Exception {
    hold(others());

    Claim brief = Ask.claim("lock", Kind.MUTEX, 1, 1, Duration.ofMillis(100));
    assertThat(Ask.queue(others(), brief)).isEqualTo(new Queued(3));

    assertThat(renewedOnceExpired(next(), brief, "holdfast_claim")).isEqualTo(NOTHING);

    standings(holder(), next(), last());
  }

  @Test
  void a_claim_behind_a_dead_holder_is_left_to_the_slow_path_which_grants_it() throws Exception {
    hold(others());

    assertThat(renewedAfter(next(), "UPDATE holdfast_lock SET expires = 1")).isEqualTo(NOTHING);

    standings(next(), last());
  }

  @Test
  void an_expired_grant_is_not_revived() throws Exception {
    hold(others());

    assertThat(Ask.of(others().evict("lock", LockStore.ANY_TOKEN))).isTrue();

    assertThat(renewedAfter(next(), "UPDATE holdfast_lock SET expires = 1")).isEqualTo(NOTHING);

    assertThat(Ask.refresh(others(), next())).isEqualTo(Gone.GONE);
    standings(last());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE holdfast_lock SET expires = 1",
        "UPDATE holdfast_lock SET expires = expires + 3600000000",
        "UPDATE holdfast_lock SET format = 2",
        "UPDATE holdfast_lock SET capacity = 2",
        "UPDATE holdfast_lock SET claim_id = NULL",
        "DELETE FROM holdfast_lock",
        "UPDATE holdfast_claim SET expires = 1 WHERE seq = 1",
        "UPDATE holdfast_claim SET expires = 1 WHERE seq = 2",
        "UPDATE holdfast_claim SET expires = expires + 3600000000 WHERE seq = 1",
        "UPDATE holdfast_claim SET expires = expires + 3600000000 WHERE seq = 2",
        "UPDATE holdfast_claim SET state = 'LINGERING' WHERE seq = 1",
        "UPDATE holdfast_claim SET state = 'TOMBSTONE' WHERE seq = 1",
        "UPDATE holdfast_claim SET state = 'NEW' WHERE seq = 2",
        "UPDATE holdfast_claim SET token = 1 WHERE seq = 1",
        "UPDATE holdfast_claim SET weight = 2 WHERE seq = 1",
        "UPDATE holdfast_claim SET claim_id = CONCAT(claim_id, ' ') WHERE seq = 1",
      })
  void where_there_is_more_to_consider_while_it_waits_nothing_changes(String more)
      throws Exception {
    hold(others());

    unchanged(more);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE holdfast_lock SET expires = 1",
        "UPDATE holdfast_lock SET format = 2",
        "UPDATE holdfast_lock SET weight = 2",
        "UPDATE holdfast_lock SET claim_id = CONCAT(claim_id, ' ')",
      })
  void where_there_is_more_to_consider_when_it_was_granted_nothing_changes(String more)
      throws Exception {
    hold(others());

    Ask.leave(others(), holder());

    unchanged(more);
  }

  @Test
  void what_a_claim_says_of_itself_is_renewed_too_while_it_waits_and_when_it_is_granted()
      throws Exception {
    hold(others());

    database().execute(List.of("UPDATE holdfast_claim SET ttl = ttl + 1"));
    assertThat(renewed(next().publishing("waits").asking(0, 9))).contains(new Queued(1));
    assertThat(text("SELECT claim_value FROM holdfast_claim WHERE lock_name = 'lock' AND seq = 1"))
        .isEqualTo("waits");
    assertThat(text("SELECT token_floor FROM holdfast_claim WHERE lock_name = 'lock' AND seq = 1"))
        .isEqualTo("9");
    assertThat(text("SELECT ttl FROM holdfast_claim WHERE lock_name = 'lock' AND seq = 1"))
        .isEqualTo(String.valueOf(lifetime(next().waitingTtl())));

    Ask.leave(others(), holder());
    assertThat(renewed(next().publishing("holds"))).contains(new Granted(token()));
    assertThat(text("SELECT claim_value FROM holdfast_lock WHERE name = 'lock'"))
        .isEqualTo("holds");
  }

  @Test
  void a_renewal_that_wants_spare_tokens_is_left_to_the_slow_path() throws Exception {
    hold(others());

    Ask.leave(others(), holder());

    assertThat(renewed(next().asking(3, 0))).isEqualTo(NOTHING);

    assertThat(((Granted) Ask.refresh(others(), next().asking(3, 0))).spares().count())
        .isEqualTo(3);
  }

  private void unchanged(String more) throws Exception {
    database().execute(List.of(more));
    String before = text(ROWS);

    assertThat(renewed(next())).isEqualTo(NOTHING);

    assertThat(text(ROWS)).isEqualTo(before);
  }

  private Optional<Standing> renewedAfter(Claim claim, Supplier<CompletionStage<?>> first)
      throws Exception {
    return after(first, () -> renewing(claim));
  }

  /** The answer to a renewal that waits for the row while this is changed. */
  private Optional<Standing> renewedAfter(Claim claim, String change) throws Exception {
    row().setAutoCommit(false);
    try (Statement statement = row().createStatement()) {
      statement.execute("SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE");
      CompletionStage<Optional<Standing>> answer = renewing(claim);
      await().atMost(LONG).until(() -> waiting() == 1);
      statement.execute(change);
      row().commit();
      return Ask.of(answer);
    }
  }

  /** The answer to a renewal that waits for the row until that other claim has expired. */
  private Optional<Standing> renewedOnceExpired(Claim claim, Claim other, String table)
      throws Exception {
    String expired =
        "SELECT COUNT(*) FROM %s WHERE claim_id = '%s' AND expires < %s"
            .formatted(table, other.id(), dialect().clock());
    row().setAutoCommit(false);
    try (Statement statement = row().createStatement()) {
      statement.execute("SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE");
      CompletionStage<Optional<Standing>> answer = renewing(claim);
      await().atMost(LONG).until(() -> waiting() == 1);
      await().atMost(LONG).until(() -> text(expired).equals("1"));
      row().commit();
      return Ask.of(answer);
    }
  }

  private CompletionStage<Optional<Standing>> renewing(Claim claim) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return renewed(claim);
          } catch (SQLException e) {
            throw new CompletionException(e);
          }
        });
  }

  private Optional<Standing> renewed(Claim claim) throws SQLException {
    QueuePath handOff = new MySqlQueuePath(dialect(), new OwnerCodec());
    assertThat(handOff.renews(session)).isTrue();
    return Optional.ofNullable(handOff.renew(session, claim));
  }

  private long token() throws SQLException {
    return Long.parseLong(text("SELECT token FROM holdfast_lock WHERE name = 'lock'"));
  }

  private long lifetime(Duration ttl) {
    return dialect().lifetime(ttl);
  }
}
