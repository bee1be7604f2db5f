package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.Ask;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stopped client has locked one row: the claims of other locks do not wait for it. */
abstract class LockedRowContract {

  /** The neighbours wait for an eighth of it. */
  private static final Duration TTL = Duration.ofSeconds(24);

  private final ManualTicker ticker = new ManualTicker();
  private final List<Claim> held =
      Stream.of("a", "b", "c", "d").map(LockedRowContract::held).toList();
  private final Claim stuck = held.get(1);
  private Database database;
  private Connection stopped;
  private LockStore store;

  abstract SqlServer server();

  @BeforeEach
  void open() throws Exception {
    database = server().newDatabase();
    stopped = database.connect();
    stopped.setAutoCommit(false);
    store =
        new JdbcProvider()
            .open(
                database.url() + "&holdfast.listen=false",
                new StoreSettings(ticker, Duration.ofSeconds(20)));
    held.forEach(claim -> assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class));
  }

  @AfterEach
  void close() throws Exception {
    stopped.close();
    store.close();
    database.close();
    ticker.close();
  }

  @Test
  void the_neighbours_of_a_claim_whose_row_is_locked_are_renewed() throws Exception {
    lock("b");

    expectOnlyStuckUnknown(Ask.of(store.refresh(held, Deadlines.far())));

    stopped.rollback();
    assertThat(Ask.refresh(store, stuck)).isInstanceOf(Granted.class);
  }

  @Test
  void so_are_neighbours_that_take_a_transaction() throws Exception {
    List<Claim> permits =
        held.stream()
            .map(claim -> Ask.claim(claim.lock() + "s", Kind.SEMAPHORE, 1, 3, TTL))
            .toList();
    permits.forEach(claim -> assertThat(Ask.join(store, claim)).isInstanceOf(Granted.class));
    permits.forEach(claim -> Ask.join(store, Ask.claim(claim.lock(), Kind.SEMAPHORE, 1, 3, TTL)));
    lock("bs");

    Map<Claim, Standing> answers =
        Ask.of(store.refresh(permits.stream().map(c -> c.asking(1, 0)).toList(), Deadlines.far()));

    assertThat(answers.values()).filteredOn(Unknown.class::isInstance).hasSize(1);
    assertThat(answers.values()).filteredOn(Granted.class::isInstance).hasSize(3);
  }

  @Test
  void all_are_renewed_once_it_is_free() throws Exception {
    lock("b");
    stopped.rollback();

    assertThat(Ask.of(store.refresh(held, Deadlines.far())).values())
        .hasSize(4)
        .allMatch(Granted.class::isInstance);
  }

  private void expectOnlyStuckUnknown(Map<Claim, Standing> answers) {
    assertThat(answers).containsOnlyKeys(held);
    assertThat(answers.get(stuck)).isInstanceOf(Unknown.class);
    assertThat(answers.values()).filteredOn(Granted.class::isInstance).hasSize(3);
  }

  private void lock(String name) throws Exception {
    try (Statement statement = stopped.createStatement()) {
      statement.execute("SELECT 1 FROM holdfast_lock WHERE name = '" + name + "' FOR UPDATE");
    }
  }

  private static Claim held(String lock) {
    return Ask.claim(lock, Kind.MUTEX, 1, 1, TTL);
  }
}
