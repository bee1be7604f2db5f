package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server counts: locks cost as many requests as is promised. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class RoundTripsIT {

  private static final int MANY = 10_000;
  private static final int AT_ONCE = 500;
  private static final int TURNS = 10;
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Pings, one in ten seconds for each client, are counted too. */
  private static final double PINGS = 3;

  private ZooKeeperServer server;
  private final ZooKeeperScene scene = new ZooKeeperScene();

  @BeforeEach
  void start() {
    server = ZooKeeperServer.start("maxSessionTimeout=240000");
  }

  @AfterEach
  void stop() {
    scene.close();
    server.close();
  }

  @Test
  void a_hand_off_costs_the_same_however_many_wait() throws Exception {
    double one = requestsPerHandOff(1);
    double ten = requestsPerHandOff(10);
    double hundred = requestsPerHandOff(100);

    assertThat(ten).as("with ten waiters, and %s with one", one).isLessThan(one + PINGS);
    assertThat(hundred).as("with a hundred, and %s with one", one).isLessThan(one + 4 * PINGS);
  }

  @Test
  void one_session_holds_ten_thousand_locks_and_renews_them_with_a_few_requests() throws Exception {
    LockStore store = scene.openAs(server.url() + "?sessionTimeout=240s");
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < MANY) {
      List<CompletableFuture<JoinAnswer>> joins = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        Claim claim = ZooKeeperScene.lasting(mutex(ZooKeeperScene.name()), LONG);
        claims.add(claim);
        joins.add(store.join(claim, false).toCompletableFuture());
      }
      for (CompletableFuture<JoinAnswer> join : joins) {
        assertThat(answer(join)).isInstanceOf(Granted.class);
      }
    }
    answer(store.refresh(claims)); // sets the watches that are not there yet
    long before = requests();

    assertThat(answer(store.refresh(claims)).values())
        .hasSize(MANY)
        .allMatch(Granted.class::isInstance);

    assertThat(requests() - before).isLessThan(100); // an audit may fall into it: one per bucket
    answer(store.leave(claims.stream().map(Departure::of).toList()));
    assertThat(answer(store.list("", 10))).isEmpty();
  }

  /** One client for each waiter; each takes its turn and leaves. */
  private double requestsPerHandOff(int waiters) throws Exception {
    String lock = ZooKeeperScene.name();
    LockStore first = scene.openAs(server.url() + "?sessionTimeout=240s");
    Claim holder = mutex(lock);
    granted(first, holder);
    List<LockStore> stores = new ArrayList<>();
    List<Claim> claims = new ArrayList<>();
    List<AtomicInteger> hints = new ArrayList<>();
    for (int i = 0; i < waiters; i++) {
      LockStore store = scene.openAs(server.url() + "?sessionTimeout=240s");
      AtomicInteger hint = new AtomicInteger();
      Claim claim = mutex(lock);
      store.observe(lock, hint::incrementAndGet);
      assertThat(answer(store.join(claim, true))).isInstanceOf(Queued.class);
      stores.add(store);
      claims.add(claim);
      hints.add(hint);
    }
    int turns = Math.min(waiters, TURNS);
    long before = requests();

    leave(first, holder);
    for (int i = 0; i < turns; i++) {
      AtomicInteger hint = hints.get(i);
      eventually().until(() -> hint.get() > 0);
      assertThat(standing(stores.get(i), claims.get(i))).isInstanceOf(Granted.class);
      leave(stores.get(i), claims.get(i));
    }

    double each = (double) (requests() - before) / turns;
    assertThat(hints.stream().skip(turns + 1L).mapToInt(AtomicInteger::get).sum())
        .as("hints to those whose turn has not come")
        .isZero();
    stores.forEach(LockStore::close);
    return each;
  }

  private long requests() throws IOException {
    return ServerReport.ask(server.connectString(), Duration.ofSeconds(20)).received();
  }
}
