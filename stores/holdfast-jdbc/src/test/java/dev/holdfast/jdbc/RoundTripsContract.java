package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
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
    costs.put("renew two at once", cost(() -> Ask.of(store.refresh(List.of(holder, other)))));
    costs.put("be told busy", cost(() -> Ask.join(store, Ask.mutex("lock"))));
    costs.put("join the queue", cost(() -> queued(waiter)));
    costs.put("renew a waiter", cost(() -> Ask.refresh(store, waiter)));
    costs.put("release to the next in line", cost(() -> left(holder)));
    costs.put("learn of it", cost(() -> Ask.refresh(store, waiter)));
    costs.put("inspect", cost(() -> Ask.of(store.inspect("lock"))));
    costs.put("list", cost(() -> Ask.of(store.list("", 10))));

    Map<String, Integer> documented = new LinkedHashMap<>();
    documented.put("renew", 1);
    documented.put("renew two at once", 2 + moreToWrite());
    documented.put("be told busy", 3);
    documented.put("join the queue", 3 + moreToWrite());
    documented.put("renew a waiter", 2 + moreToWrite());
    documented.put("release to the next in line", 3 + moreToWrite());
    documented.put("learn of it", 1);
    documented.put("inspect", 1);
    documented.put("list", 1);
    assertThat(costs).containsExactlyEntriesOf(documented);
  }

  @Test
  void a_hundred_locks_are_renewed_by_few_round_trips() {
    List<Claim> many = IntStream.range(0, 100).mapToObj(i -> Ask.mutex("lock " + i)).toList();
    many.forEach(this::taken);

    // How many, a big batch leaves to the driver and to chance: both ends may speak at once.
    assertThat(cost(() -> Ask.of(store.refresh(many)))).isLessThan(20);
  }

  Database database() {
    return database;
  }

  LockStore store() {
    return store;
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
    Ask.refresh(store, holder);
    Ask.of(store.refresh(List.of(holder, Ask.mutex("absent"))));
    queued(waiter);
    Ask.refresh(store, waiter);
    left(holder);
    Ask.refresh(store, waiter);
    left(waiter);
    Ask.of(store.inspect("first"));
    Ask.of(store.list("", 10));
  }

  private long statements() throws SQLException {
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(statementCount(database.name()))) {
      rows.next();
      return rows.getLong(rows.getMetaData().getColumnCount());
    }
  }

  private void taken(Claim claim) {
    assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class);
  }

  private void queued(Claim claim) {
    assertThat(Ask.queue(store, claim)).isInstanceOf(Queued.class);
  }

  private void left(Claim claim) {
    assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
  }
}
