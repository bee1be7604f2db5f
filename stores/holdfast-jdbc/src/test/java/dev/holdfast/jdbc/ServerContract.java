package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a store behaves on a server that others use, and that does not always answer. */
abstract class ServerContract {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("server");
  private Database database;

  /** A server that may be paused. */
  abstract SqlServer server();

  /** A parameter by which a session waits for a row for a second or less. */
  abstract String shortLockWait();

  /** How many connections there are to a database. */
  abstract String connectionCount(String databaseName);

  /** What the test's server is right to be blamed for. */
  abstract boolean isKnown(String finding);

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
  }

  @AfterEach
  void close() {
    database.close();
    ticker.close();
  }

  @Test
  void an_id_with_a_space_behind_it_is_another_one() {
    StoreSettings settings = new StoreSettings(ticker, LONG);
    try (LockStore store = new JdbcProvider().open(database.url(), settings)) {
      Claim holder = Ask.mutex("lock");
      Claim other =
          new Claim(
              holder.id() + " ",
              holder.lock(),
              holder.kind(),
              holder.weight(),
              holder.capacity(),
              holder.owner(),
              holder.ttl(),
              holder.value(),
              holder.spares(),
              holder.floor());
      Ask.join(store, holder);

      assertThat(Ask.refresh(store, other)).isEqualTo(Gone.GONE);
      assertThat(Ask.leave(store, other)).isEqualTo(Left.GONE);
      assertThat(Ask.refresh(store, holder)).isInstanceOf(Granted.class);
    }
  }

  @Test
  void a_hundred_threads_wait_with_two_connections() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(100);
    try (Holdfast holder = Holdfast.connect(database.url());
        Holdfast waiters = Holdfast.connect(database.url() + "&holdfast.listen=false")) {
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        held.add(holder.lock("lock " + i).acquire());
      }
      List<Future<Long>> let = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String lock = "lock " + i;
        let.add(
            threads.submit(
                () -> {
                  try (Lease lease = waiters.lock(lock).acquire()) {
                    return lease.token();
                  }
                }));
      }
      await().atMost(LONG).until(() -> waiting(holder) == 100);

      assertThat(number(connectionCount(database.name()))).isLessThanOrEqualTo(4);
      held.forEach(Lease::close);

      for (int i = 0; i < 100; i++) {
        assertThat(let.get(i).get(60, TimeUnit.SECONDS)).isGreaterThan(held.get(i).token());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** {@code IF NOT EXISTS} does not see what somebody else is about to commit. */
  @Test
  void clients_that_find_no_tables_at_the_same_time_agree_on_who_makes_them() throws Exception {
    for (int round = 0; round < 10; round++) {
      try (Database fresh = server().newDatabase()) {
        CyclicBarrier start = new CyclicBarrier(6);
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < start.getParties(); i++) {
          clients.add(
              CompletableFuture.runAsync(
                  () -> lockOnce(fresh.url(), start), task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).join();
      }
    }
  }

  /** Where each table is committed by itself, a client may die between two of them. */
  @Test
  void tables_that_were_never_finished_are_finished_by_the_next_client() throws Exception {
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      Holdfast.connect(database.url()).close();
      statement.execute("DELETE FROM holdfast_schema");
      statement.execute("DROP TABLE holdfast_claim");

      try (Holdfast locks = Holdfast.connect(database.url());
          Lease lease = locks.lock("first").acquire()) {
        assertThat(lease.isValid()).isTrue();
      }

      statement.execute("DELETE FROM holdfast_schema");
      try (Holdfast locks = Holdfast.connect(database.url());
          Lease lease = locks.lock("first").acquire()) {
        assertThat(lease.isValid()).isTrue();
      }
    }
  }

  private static void lockOnce(String url, CyclicBarrier start) {
    try {
      start.await(1, TimeUnit.MINUTES);
      try (Holdfast locks = Holdfast.connect(url);
          Lease lease = locks.lock("first").acquire()) {
        assertThat(lease.isValid()).isTrue();
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void contention_leaves_one_holder_at_a_time() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Holdfast one = Holdfast.connect(database.url());
        Holdfast two = Holdfast.connect(database.url())) {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Holdfast locks = i % 2 == 0 ? one : two;
        done.add(
            threads.submit(
                () -> {
                  for (int turn = 0; turn < 20; turn++) {
                    try (Lease lease = locks.lock("contended").acquire()) {
                      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                      inside.decrementAndGet();
                      assertThat(lease.isValid()).isTrue();
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> each : done) {
        each.get(100, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(most).hasValue(1);
  }

  @Test
  void a_wait_for_a_row_that_the_server_ends_is_begun_again() throws Exception {
    String url = database.url() + "&" + shortLockWait() + "&holdfast.listen=false";
    try (LockStore store = open(url, LONG);
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      Ask.leave(store, taken(store, "lock"));
      other.setAutoCommit(false);
      statement.execute("UPDATE holdfast_lock SET format = 1");

      CompletableFuture<JoinAnswer> answer =
          store.join(Ask.mutex("lock"), false, Deadlines.far()).toCompletableFuture();
      await().during(Duration.ofSeconds(3)).atMost(LONG).until(() -> !answer.isDone());
      other.rollback();

      assertThat(Ask.of(answer)).isInstanceOf(Granted.class);
    }
  }

  @Test
  void a_row_that_others_keep_locked_is_unknown_after_the_operations_time() throws Exception {
    // Only the join has a second: on a busy machine, opening takes longer.
    try (LockStore store = open(database.url() + "&holdfast.listen=false", LONG);
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      Ask.leave(store, taken(store, "lock"));
      other.setAutoCommit(false);
      statement.execute("UPDATE holdfast_lock SET format = 1");

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.of(store.join(Ask.mutex("lock"), false, brief())))
          .withMessageContaining("No answer from jdbc:")
          .withMessageContaining("join of 'lock'")
          .withMessageContaining("it may or may not have taken effect")
          .withMessageNotContaining("\n");
      other.rollback();
      await().atMost(LONG).until(() -> Ask.of(store.list("lock", 1)) != null);
    }
  }

  @Test
  void a_server_that_hangs_is_unknown_within_the_operations_time_and_used_again_afterwards()
      throws Exception {
    try (LockStore store = open(database.url() + "&holdfast.listen=false", Duration.ofSeconds(5))) {
      Claim claim = taken(store, "lock");
      server().pause();
      try {
        assertThatExceptionOfType(StoreException.class)
            .isThrownBy(() -> Ask.of(store.refresh(List.of(claim), brief())));
        assertThatExceptionOfType(StoreException.class)
            .isThrownBy(() -> Ask.of(store.join(Ask.mutex("other"), false, brief())));
      } finally {
        server().resume();
      }

      await()
          .atMost(LONG)
          .ignoreExceptionsInstanceOf(StoreException.class)
          .until(() -> Ask.refresh(store, claim) instanceof Granted);
    }
  }

  @Test
  void a_connection_that_broke_while_nobody_used_it_is_not_noticed() throws Exception {
    try (LockStore store = open(database.url() + "&holdfast.listen=false", LONG)) {
      Claim claim = taken(store, "lock");
      server().restart();

      assertThat(Ask.refresh(store, claim)).isInstanceOf(Granted.class);
      taken(store, "other");
    }
  }

  @Test
  void one_bad_record_does_not_take_its_neighbours_with_it() throws Exception {
    try (LockStore store = open(database.url(), LONG)) {
      Claim good = taken(store, "good");
      Claim bad = taken(store, "bad");
      database.execute(List.of("UPDATE holdfast_lock SET format = 9 WHERE name = 'bad'"));

      Map<Claim, Standing> standings = Ask.of(store.refresh(List.of(good, bad), Deadlines.far()));

      assertThat(standings.get(good)).isInstanceOf(Granted.class);
      assertThat(standings.get(bad)).isInstanceOf(Unknown.class);
    }
  }

  @Test
  void a_record_with_an_absurd_token_is_refused_by_name_and_stays_as_it_is() throws Exception {
    try (LockStore store = open(database.url(), LONG)) {
      for (long absurd : new long[] {Long.MIN_VALUE, -1, Tokens.MAX + 1, Long.MAX_VALUE}) {
        for (String column : List.of("last_token", "token")) {
          String lock = column + absurd;
          Claim claim = taken(store, lock);
          database.execute(
              List.of(
                  "UPDATE holdfast_lock SET %s = %d WHERE name = '%s'"
                      .formatted(column, absurd, lock)));
          assertRefused(store, lock, absurd);
          if (column.equals("token")) {
            assertThat(Ask.refresh(store, claim)).isInstanceOf(Unknown.class);
          }
          database.execute(
              List.of(
                  "UPDATE holdfast_lock SET expires = 1, last_token = %d WHERE name = '%s'"
                      .formatted(absurd, lock)));
          assertRefused(store, lock, absurd);
        }
      }
    }
  }

  private static void assertRefused(LockStore store, String lock, long token) {
    for (int spares = 0; spares < 2; spares++) {
      Claim claim = Ask.mutex(lock).asking(spares, 0);
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.join(store, claim))
          .withMessageContainingAll("'" + lock + "'", "holdfast_lock", "" + token, "break --force");
    }
  }

  @Test
  void it_tells_its_clock_and_what_its_settings_endanger() throws Exception {
    try (LockStore store = open(database.url(), LONG)) {
      Diagnosis diagnosis = Ask.of(store.diagnose());

      assertThat(diagnosis.time()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
      assertThat(diagnosis.findings()).extracting(Finding::message).allMatch(this::isKnown);
    }
  }

  private static Deadline brief() {
    return Deadlines.in(Duration.ofSeconds(1));
  }

  private LockStore open(String url, Duration timeout) {
    return new JdbcProvider().open(url, new StoreSettings(ticker, timeout));
  }

  private static Claim taken(LockStore store, String lock) {
    Claim claim = Ask.mutex(lock);
    assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
    return claim;
  }

  private static long waiting(Holdfast locks) {
    return locks.list("lock ").stream().mapToLong(lock -> lock.waiters().size()).sum();
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
