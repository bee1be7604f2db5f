package dev.holdfast.jdbc;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a client queues up for, or passes on, changes while it waits for the lock row: somebody else
 * was there before. The answers are those of one after the other.
 */
@ExtendWith(Overtaken.Repeats.class)
abstract class QueuePathContract {

  static final Duration LONG = Duration.ofSeconds(20);

  private final Claim holder = Ask.mutex("lock");
  private final Claim next = Ask.mutex("lock");
  private final Claim last = Ask.mutex("lock");
  private final Claim late = Ask.mutex("lock");

  private ManualTicker ticker;
  private Database database;
  private Connection admin;
  private Connection row;
  private LockStore others;
  private LockStore store;

  abstract SqlServer server();

  /** How many transactions wait for a row of a database. */
  abstract String waitCount(String databaseName);

  /** Parameters of the connections of the client whose turn is late. */
  String parameters() {
    return "";
  }

  @BeforeEach
  void open() throws Exception {
    ticker = new ManualTicker();
    database = server().newDatabase();
    admin = server().admin();
    row = database.connect();
    others = open("");
    store = open(parameters());
    findOthers();
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    others.close();
    row.close();
    admin.close();
    ticker.close();
    database.close();
  }

  @Test
  void the_last_one_leaves_while_another_queues_up() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.leave(inOneStep(last), Deadlines.far())))
        .isEqualTo(new Queued(2));

    standings(holder, next, late);
  }

  @Test
  void the_next_one_leaves_while_another_queues_up() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.leave(inOneStep(next), Deadlines.far())))
        .isEqualTo(new Queued(2));

    standings(holder, last, late);
  }

  @Test
  void two_queue_up_at_once() throws Exception {
    hold(others);
    Claim third = Ask.mutex("lock");

    assertThat(joinAfter(() -> others.join(third, true, Deadlines.far()))).isEqualTo(new Queued(4));

    standings(holder, next, last, third, late);
  }

  @Test
  void the_holder_leaves_while_another_queues_up() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.leave(inOneStep(holder), Deadlines.far())))
        .isEqualTo(new Queued(2));

    standings(next, last, late);
  }

  @Test
  void the_only_one_leaves_while_another_queues_up() throws Exception {
    assertThat(Ask.join(others, holder)).isInstanceOf(Granted.class);

    assertThat(joinAfter(() -> others.leave(inOneStep(holder), Deadlines.far())))
        .isInstanceOf(Granted.class);

    standings(late);
  }

  @Test
  void the_holder_is_renewed_while_another_queues_up() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.refresh(List.of(holder), Deadlines.far())))
        .isEqualTo(new Queued(3));

    standings(holder, next, last, late);
  }

  @Test
  void one_that_waits_is_renewed_while_another_queues_up() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.refresh(List.of(next), Deadlines.far())))
        .isEqualTo(new Queued(3));

    standings(holder, next, last, late);
  }

  @Test
  void its_tombstone_arrives_while_it_queues_up() throws Exception {
    hold(others);
    Departure withdrawn = new Departure(late, Duration.ZERO, true);

    assertThat(joinAfter(() -> others.leave(List.of(withdrawn), Deadlines.far())))
        .isEqualTo(new Busy(null));

    standings(holder, next, last);
    assertThat(Ask.refresh(others, late)).isEqualTo(Gone.GONE);
  }

  @Test
  void it_queues_up_twice_at_once() throws Exception {
    hold(others);

    assertThat(joinAfter(() -> others.join(late, true, Deadlines.far()))).isEqualTo(new Queued(3));

    standings(holder, next, last, late);
  }

  @Test
  void the_next_one_leaves_while_the_lock_is_passed_on() throws Exception {
    hold(store);

    assertThat(leaveAfter(() -> others.leave(inOneStep(next), Deadlines.far())))
        .isEqualTo(Left.LEFT);

    standings(last);
    assertThat(Ask.refresh(others, next)).isEqualTo(Gone.GONE);
  }

  @Test
  void the_last_one_leaves_while_the_lock_is_passed_on() throws Exception {
    hold(store);

    assertThat(leaveAfter(() -> others.leave(inOneStep(last), Deadlines.far())))
        .isEqualTo(Left.LEFT);

    standings(next);
  }

  @Test
  void all_others_leave_while_the_lock_is_passed_on() throws Exception {
    hold(store);
    List<Departure> both = List.of(Departure.of(next), Departure.of(last));

    assertThat(leaveAfter(() -> others.leave(both, Deadlines.far()))).isEqualTo(Left.LEFT);

    assertThat(Ask.join(others, late)).isInstanceOf(Granted.class);
    standings(late);
  }

  @Test
  void another_queues_up_while_the_lock_is_passed_on() throws Exception {
    hold(store);

    assertThat(leaveAfter(() -> others.join(late, true, Deadlines.far()))).isEqualTo(Left.LEFT);

    standings(next, last, late);
  }

  @Test
  void the_next_one_is_renewed_while_the_lock_is_passed_on() throws Exception {
    hold(store);
    Claim published = next.publishing("new");

    assertThat(leaveAfter(() -> others.refresh(List.of(published), Deadlines.far())))
        .isEqualTo(Left.LEFT);

    assertThat(text("SELECT claim_value FROM holdfast_lock WHERE name = 'lock'")).isEqualTo("new");
    standings(published, last);
  }

  @Test
  void the_holder_is_evicted_while_it_passes_the_lock_on() throws Exception {
    hold(store);

    assertThat(leaveAfter(() -> others.evict("lock", LockStore.ANY_TOKEN))).isEqualTo(Left.GONE);

    standings(next, last);
  }

  @Test
  void the_holder_leaves_twice_at_once() throws Exception {
    hold(store);

    assertThat(leaveAfter(() -> others.leave(inOneStep(holder), Deadlines.far())))
        .isEqualTo(Left.GONE);

    standings(next, last);
  }

  Database database() {
    return database;
  }

  LockStore store() {
    return store;
  }

  LockStore others() {
    return others;
  }

  /** A connection that holds nothing but what the test lets it. */
  Connection row() {
    return row;
  }

  Claim holder() {
    return holder;
  }

  Claim next() {
    return next;
  }

  Claim last() {
    return last;
  }

  Claim late() {
    return late;
  }

  /** One holds the lock and two wait. */
  void hold(LockStore holders) {
    assertThat(Ask.join(holders, holder)).isInstanceOf(Granted.class);
    assertThat(Ask.queue(others, next)).isEqualTo(new Queued(1));
    assertThat(Ask.queue(others, last)).isEqualTo(new Queued(2));
  }

  /** These are in the queue, in this order, and nobody else; the first holds the lock. */
  void standings(Claim... claims) throws SQLException {
    assertThat(Ask.refresh(others, claims[0])).isInstanceOf(Granted.class);
    for (int i = 1; i < claims.length; i++) {
      assertThat(Ask.refresh(others, claims[i])).isEqualTo(new Queued(i));
    }
    Claim behind = Ask.mutex("lock");
    assertThat(Ask.queue(others, behind)).isEqualTo(new Queued(claims.length));
    assertThat(text(ClockedDatabase.INCONSISTENT)).isEqualTo("0");
  }

  private JoinAnswer joinAfter(Supplier<CompletionStage<?>> first) throws Exception {
    return after(first, () -> store.join(late, true, Deadlines.far()));
  }

  private Left leaveAfter(Supplier<CompletionStage<?>> first) throws Exception {
    return after(
        first,
        () ->
            store
                .leave(List.of(Departure.of(holder)), Deadlines.far())
                .thenApply(left -> left.get(holder)));
  }

  /**
   * The answer to the second, which begins before the first has ended: both wait for the row.
   *
   * @throws Overtaken if the first may have waited until it was no longer the first
   */
  <T> T after(Supplier<CompletionStage<?>> first, Supplier<CompletionStage<T>> second)
      throws Exception {
    row.setAutoCommit(false);
    try (Statement statement = row.createStatement()) {
      statement.execute("SELECT 1 FROM holdfast_lock WHERE name = 'lock' FOR UPDATE");
      long began = System.nanoTime();
      CompletionStage<?> before = first.get();
      await().atMost(LONG).until(() -> waiting() == 1);
      CompletionStage<T> answer = second.get();
      await().atMost(LONG).until(() -> waiting() == 2);
      row.rollback();
      long waited = System.nanoTime() - began;
      Ask.of(before);
      long carriedOut = System.nanoTime() - began - waited;
      T answered = Ask.of(answer);
      if (Math.max(waited, carriedOut) >= MILLISECONDS.toNanos(Limits.MILLIS)) {
        throw new Overtaken();
      }
      return answered;
    }
  }

  /** The guess of the client whose turn is late: there are others. */
  private void findOthers() {
    Claim first = Ask.mutex("another");
    Ask.join(store, first);
    Ask.queue(store, Ask.mutex("another"));
    Ask.leave(store, first);
  }

  private LockStore open(String parameters) {
    String url = database.url() + "&holdfast.listen=false" + parameters;
    return new JdbcProvider().open(url, new StoreSettings(ticker, LONG));
  }

  /** Alone, it would try the cheaper ways first, and might wait for the row more than once. */
  static List<Departure> inOneStep(Claim claim) {
    return List.of(Departure.of(claim), Departure.of(Ask.mutex("absent")));
  }

  long waiting() throws SQLException {
    return Long.parseLong(text(admin, waitCount(database.name())));
  }

  String text(String sql) throws SQLException {
    try (Connection connection = database.connect()) {
      return text(connection, sql);
    }
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
