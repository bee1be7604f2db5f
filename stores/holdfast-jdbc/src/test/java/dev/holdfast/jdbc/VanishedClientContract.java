package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Kind;
import dev.holdfast.jdbc.sql.Limits;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client that is paused, or whose machine vanishes, in the middle of a transaction: it has locked
 * the rows of its locks, and the server hears nothing more from it.
 */
abstract class VanishedClientContract {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration TTL = Duration.ofSeconds(2);

  /** Many times what it takes: the failure would be a claim that is never granted. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** What a transaction says when it has locked and read its rows. */
  private static final String WRITES = "UPDATE holdfast_lock SET kind";

  /** How long the attempts of each thread are. */
  private static final Duration[] ATTEMPTS = {
    Duration.ofMillis(75), Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(2)
  };

  private static final Duration BLOCKED = Duration.ofMinutes(1);

  private final Ticker ticker = Ticker.system("vanished");
  private Database database;
  private TcpProxy network;
  private LockStore store;

  abstract SqlServer server();

  /** What makes the driver send its statements as readable text. */
  String readable() {
    return "";
  }

  /** How many connections there are to a database. */
  abstract String connectionCount(String databaseName);

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
    String port = database.url().replaceFirst(".*127\\.0\\.0\\.1:(\\d+)/.*", "$1");
    network = TcpProxy.to("127.0.0.1", Integer.parseInt(port));
    store = open(database.url());
  }

  @AfterEach
  void close() throws Exception {
    network.close();
    store.close();
    database.close();
    ticker.close();
  }

  @Test
  void its_locks_go_to_others_when_its_claims_have_expired() {
    try (LockStore vanished = openOverNetwork(database.url())) {
      vanish(vanished);
      othersGetTheLock();
    }
  }

  @Test
  void its_locks_go_to_others_also_where_its_connections_are_the_callers() {
    try (LockStore vanished =
        JdbcLockStore.over(
            TestDataSource.of(overNetwork(database.url())),
            JdbcOptions.defaults().listen(false),
            settings())) {
      vanish(vanished);
      othersGetTheLock();
    }
  }

  @Test
  void it_goes_on_when_it_is_back_in_time() {
    try (LockStore paused = openOverNetwork(database.url())) {
      Claim held = semaphore(Duration.ofMinutes(5));
      assertThat(Ask.join(paused, held)).isInstanceOf(Granted.class);
      network.hangAt(WRITES);
      CompletableFuture<Map<Claim, Standing>> renewal = renewal(paused, held);
      await().atMost(PATIENCE).until(network::isHanging);
      // Somebody else comes to the row: its transaction is over.
      await().atMost(PATIENCE).until(() -> permitIsTaken(Duration.ofMinutes(5)));
      network.heal();

      assertThat(Ask.of(renewal).get(held)).isInstanceOf(Granted.class);
    }
  }

  @Test
  void a_client_that_is_only_idle_keeps_its_connection() throws Exception {
    Claim held = semaphore(Duration.ofMinutes(5));
    Ask.join(store, held);
    assertThat(Ask.of(renewal(store, held)).get(held)).isInstanceOf(Granted.class);
    try (Connection admin = server().admin()) {
      await()
          .during(Duration.ofMillis(3L * Limits.MILLIS))
          .atMost(PATIENCE)
          .until(() -> connections(admin) > 0);
    }

    assertThat(Ask.leave(store, held)).isEqualTo(Left.LEFT);
  }

  @Test
  void a_row_that_stays_locked_costs_no_more_connections_than_the_client_may_have()
      throws Exception {
    Claim claim = Ask.mutex("lock");
    Ask.join(store, claim);
    Ask.leave(store, claim);
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(ATTEMPTS.length);
    try (Connection blocker = database.connect();
        Connection admin = server().admin();
        Statement statement = blocker.createStatement()) {
      blocker.setAutoCommit(false);
      statement.execute("SELECT * FROM holdfast_lock FOR UPDATE");
      for (Duration attempt : ATTEMPTS) {
        threads.execute(() -> joinAgainAndAgain(attempt, over));
      }
      Deadline end = Deadlines.in(BLOCKED);
      AtomicInteger most = new AtomicInteger();
      await()
          .forever()
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> most.accumulateAndGet(connections(admin) - 1, Math::max) > 0 && end.isOver());

      assertThat(most.get()).isBetween(1, JdbcOptions.defaults().connections());
    } finally {
      over.set(true);
      threads.shutdown();
    }
    assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
  }

  private void joinAgainAndAgain(Duration attempt, AtomicBoolean over) {
    while (!over.get()) {
      store
          .join(Ask.mutex("lock"), true, Deadlines.in(attempt))
          .toCompletableFuture()
          .exceptionally(unknown -> null)
          .join();
    }
  }

  private int connections(Connection admin) throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(connectionCount(database.name()))) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** It holds two of three permits, and has locked the row to renew them. */
  private void vanish(LockStore client) {
    Claim held = semaphore(TTL);
    assertThat(Ask.join(client, held)).isInstanceOf(Granted.class);
    network.hangAt(WRITES);
    renewal(client, held);
    await().atMost(PATIENCE).until(network::isHanging);
  }

  private void othersGetTheLock() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              Claim all = Ask.claim("lock", Kind.SEMAPHORE, 3, 3, TTL);
              return answered(all) instanceof Granted;
            });
    network.cut(); // closing the client does not have to wait for an answer
  }

  private boolean permitIsTaken(Duration ttl) {
    return answered(Ask.claim("lock", Kind.SEMAPHORE, 1, 3, ttl)) instanceof Granted;
  }

  private JoinAnswer answered(Claim claim) {
    CompletableFuture<JoinAnswer> answer =
        store.join(claim, false, Deadlines.in(TIMEOUT)).toCompletableFuture();
    return answer.exceptionally(unknown -> null).join();
  }

  /** Of two claims at once, with a spare token, which takes a transaction. */
  private static CompletableFuture<Map<Claim, Standing>> renewal(LockStore client, Claim held) {
    return client
        .refresh(List.of(held.asking(1, 0), Ask.mutex("absent")), Deadlines.far())
        .toCompletableFuture();
  }

  private static Claim semaphore(Duration ttl) {
    return Ask.claim("lock", Kind.SEMAPHORE, 2, 3, ttl);
  }

  private LockStore openOverNetwork(String url) {
    return open(overNetwork(url));
  }

  private String overNetwork(String url) {
    return url.replaceFirst("127\\.0\\.0\\.1:\\d+/", "127.0.0.1:" + network.port() + "/")
        + readable();
  }

  private LockStore open(String url) {
    return new JdbcProvider().open(url + "&holdfast.listen=false", settings());
  }

  private StoreSettings settings() {
    return new StoreSettings(ticker, TIMEOUT);
  }
}
