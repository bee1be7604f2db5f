package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What each path costs on a real server: round trips, counted on the wire, and statements, counted
 * by the server. The figures are those of docs/stores/jdbc.md.
 */
abstract class RoundTripsContract {

  private final ManualTicker ticker = new ManualTicker();
  private Database database;
  private Connection admin;
  private Wire wire;
  private LockStore store;

  /** A server with nobody else on it. */
  abstract SqlServer server();

  /** How many statements the server has run for a database, whatever else it counts along. */
  abstract String statementCount(String databaseName);

  /** How many round trips more the driver takes to send a script that writes. */
  int moreToWrite() {
    return 0;
  }

  /** How many round trips it takes to renew a claim that waits. */
  int ofRenewingAWaiter() {
    return 2 + moreToWrite();
  }

  /** How many round trips it takes to renew two claims that hold their locks. */
  int ofRenewingTwo() {
    return 2 + moreToWrite();
  }

  /** The round trips of a try that finds the lock busy. */
  int ofFindingItBusy() {
    return 2;
  }

  /** How many statements of the server a hand-off is; a script is several. */
  abstract int statementsOfHandOff();

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
    admin = server().admin();
    wire = Wire.to(database.url());
    String options = "&holdfast.listen=false&holdfast.connections=1";
    store = new JdbcProvider().open(wire.over(database.url()) + options, settings());
    Ask.of(store.inspect("behind the sweep that opening starts"));
    everyPath();
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    wire.close();
    admin.close();
    database.close();
    ticker.close();
  }

  @Test
  void an_uncontended_lock_is_taken_and_released_by_one_round_trip_each() throws Exception {
    for (String name : List.of("new", "new", "other")) {
      Claim claim = Ask.mutex(name);
      long before = statements();
      long ofCounting = statements() - before;

      assertThat(cost(() -> taken(claim))).isEqualTo(1);
      assertThat(cost(() -> left(claim))).isEqualTo(1);

      assertThat(statements() - before - 2 * ofCounting)
          .as("statements on the server")
          .isEqualTo(2);
    }
  }

  @Test
  void every_other_path_costs_what_the_documentation_says() {
    Map<String, Integer> costs = new LinkedHashMap<>();
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    Claim other = Ask.mutex("other");
    taken(holder);
    taken(other);
    costs.put("renew", cost(() -> Ask.refresh(store, holder)));
    costs.put(
        "renew two at once",
        cost(() -> Ask.of(store.refresh(List.of(holder, other), Deadlines.far()))));
    costs.put("find it busy", cost(() -> busy(Ask.mutex("lock"))));
    queued(waiter);
    costs.put("renew a waiter", cost(() -> Ask.refresh(store, waiter)));
    Claim permits = permits();
    taken(permits);
    costs.put("find no permit left", cost(() -> busy(permits())));
    costs.put("join the queue of a semaphore", cost(() -> queued(permits())));
    costs.put("release it to the next in line", cost(() -> left(permits)));
    costs.put("inspect", cost(() -> Ask.of(store.inspect("lock"))));
    costs.put("list", cost(() -> Ask.of(store.list("", 10))));

    Map<String, Integer> documented = new LinkedHashMap<>();
    documented.put("renew", 1);
    documented.put("renew two at once", ofRenewingTwo());
    documented.put("find it busy", ofFindingItBusy());
    documented.put("renew a waiter", ofRenewingAWaiter());
    documented.put("find no permit left", ofFindingItBusy());
    documented.put("join the queue of a semaphore", 3 + moreToWrite());
    documented.put("release it to the next in line", 3 + moreToWrite());
    documented.put("inspect", 1);
    documented.put("list", 1);
    assertThat(costs).containsExactlyEntriesOf(documented);
  }

  @Test
  void a_lock_goes_from_one_holder_to_the_next_by_three_round_trips() throws Exception {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    findOthers();
    taken(holder);
    long before = statements();
    long ofCounting = statements() - before;

    assertThat(cost(() -> queued(waiter))).as("join the queue").isEqualTo(1);
    assertThat(cost(() -> left(holder))).as("release to the next in line").isEqualTo(1);
    assertThat(cost(() -> Ask.refresh(store, waiter))).as("learn of it").isEqualTo(1);

    assertThat(statements() - before - 2 * ofCounting)
        .as("statements on the server")
        .isEqualTo(statementsOfHandOff());
  }

  @Test
  void a_claim_tries_first_what_was_right_for_the_one_before_it() {
    Claim busy = Ask.mutex("busy");
    Claim free = Ask.mutex("free");
    taken(busy);
    findOthers();

    assertThat(cost(() -> takenByWaiting(free)))
        .as("free, though others were expected")
        .isEqualTo(2);
    assertThat(cost(() -> takenByWaiting(Ask.mutex("free, too"))))
        .as("free, as expected")
        .isEqualTo(1);
    assertThat(cost(() -> queued(Ask.mutex("busy")))).as("busy, unexpectedly").isEqualTo(2);
    assertThat(cost(() -> queued(Ask.mutex("busy")))).as("busy, as expected").isEqualTo(1);

    assertThat(cost(() -> left(free))).as("alone, though others were expected").isEqualTo(2);
    Claim alone = Ask.mutex("free");
    taken(alone);
    assertThat(cost(() -> left(alone))).as("alone, as expected").isEqualTo(1);
    assertThat(cost(() -> left(busy))).as("with others, unexpectedly").isEqualTo(2);
  }

  /** A claim that comes again is renewed, whichever way it is tried to come in first. */
  @Test
  void a_claim_that_is_there_already_is_found_whatever_was_expected() {
    Claim holder = Ask.mutex("lock");
    Claim waiter = Ask.mutex("lock");
    Granted granted = (Granted) Ask.join(store, holder);
    queued(waiter);

    for (int i = 0; i < 2; i++) {
      assertThat(Ask.queue(store, waiter)).isEqualTo(new Queued(1));
      assertThat(Ask.queue(store, holder)).isEqualTo(granted);
    }
  }

  @Test
  void a_hundred_locks_are_renewed_by_few_round_trips() {
    List<Claim> many = IntStream.range(0, 100).mapToObj(i -> Ask.mutex("lock " + i)).toList();
    many.forEach(this::taken);

    // How many, a big batch leaves to the driver and to chance: both ends may speak at once.
    assertThat(cost(() -> Ask.of(store.refresh(many, Deadlines.far())))).isLessThan(20);
  }

  Database database() {
    return database;
  }

  LockStore store() {
    return store;
  }

  /** The clock of the store's own timer. */
  ManualTicker ticker() {
    return ticker;
  }

  StoreSettings settings() {
    return new StoreSettings(ticker, Duration.ofSeconds(20));
  }

  /** Round trips that this takes. */
  int cost(Runnable path) {
    wire.count();
    path.run();
    return wire.count();
  }

  /** What a connection has run before: how a new statement is prepared is the driver's affair. */
  private void everyPath() {
    Claim holder = Ask.mutex("first");
    Claim waiter = Ask.mutex("first");
    taken(holder);
    busy(waiter);
    Ask.refresh(store, holder);
    Ask.of(store.refresh(List.of(holder, Ask.mutex("absent")), Deadlines.far()));
    queued(waiter);
    Ask.refresh(store, waiter);
    left(holder);
    Ask.refresh(store, waiter);
    left(waiter);
    Ask.of(store.inspect("first"));
    Ask.of(store.list("", 10));
  }

  /** What is expected next is that there are others. */
  void findOthers() {
    Claim holder = Ask.mutex("others");
    taken(holder);
    queued(Ask.mutex("others"));
    left(holder);
  }

  /** Statements on the server that this takes. */
  long statementsOf(Runnable path) throws SQLException {
    long before = statements();
    long ofCounting = statements() - before;
    path.run();
    return statements() - before - 2 * ofCounting;
  }

  private long statements() throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(statementCount(database.name()))) {
      rows.next();
      return rows.getLong(rows.getMetaData().getColumnCount());
    }
  }

  private static Claim permits() {
    return Ask.claim("semaphore", Kind.SEMAPHORE, 2, 2, Duration.ofSeconds(30));
  }

  void taken(Claim claim) {
    assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
  }

  private void takenByWaiting(Claim claim) {
    assertThat(Ask.queue(store, claim)).isInstanceOf(Granted.class);
  }

  private void busy(Claim claim) {
    assertThat(Ask.join(store, claim)).isInstanceOf(Busy.class);
  }

  void queued(Claim claim) {
    assertThat(Ask.queue(store, claim)).isInstanceOf(Queued.class);
  }

  void left(Claim claim) {
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
  }
}
