package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.ConsulCluster;
import dev.holdfast.servers.ConsulServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Servers of a cluster fail while locks are held and waited for. */
@NeedsServer(value = Server.CONSUL, ofItsOwn = true)
class ClusterIT {

  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(Duration.ofSeconds(30));

  private static ConsulCluster cluster;

  private final Ticker ticker = Ticker.system("cluster-it");
  private final String lock = Ask.name();
  private final List<ConsulServer> paused = new ArrayList<>();
  private final List<ConsulServer> killed = new ArrayList<>();

  @BeforeAll
  static void start() {
    cluster = ConsulCluster.start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void repair() {
    ticker.close();
    resume();
    killed.forEach(ConsulServer::restart);
  }

  @Test
  void a_holder_and_a_waiter_outlive_the_leader() throws Exception {
    ConsulServer leader = leader();

    outlives(cluster.url(), () -> kill(leader), () -> awaitAnotherLeader(leader));
  }

  @Test
  void a_holder_and_a_waiter_outlive_a_leader_that_stalls_and_comes_back_when_it_is_replaced()
      throws Exception {
    ConsulServer leader = leader();

    outlives(
        cluster.url(),
        () -> pause(leader),
        () -> {
          awaitAnotherLeader(leader);
          resume();
        });
  }

  /** The client sees open connections without answers. */
  @Test
  void a_holder_and_a_waiter_outlive_a_server_that_is_cut_off_by_the_network() throws Exception {
    ConsulServer second = cluster.nodes().get(1);
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", cluster.nodes().get(0).port())) {
      outlives(
          "consul://127.0.0.1:" + proxy.port() + ",127.0.0.1:" + second.port(),
          proxy::hang,
          () -> {});
    }
  }

  /** Holds and waits with clients of this URL while something happens and is over. */
  private void outlives(String url, Runnable happens, Runnable isOver) throws Exception {
    AtomicInteger losses = new AtomicInteger();
    try (Holdfast one = Holdfast.connect(url);
        Holdfast two = Holdfast.connect(url)) {
      Lease held = one.lock(lock, OPTIONS).acquire();
      held.onLost(losses::incrementAndGet);
      CompletableFuture<Lease> waiting = two.lock(lock, OPTIONS).acquireAsync();
      Awaitility.await().until(() -> one.inspect(lock).waiters().size() == 1);

      happens.run();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThatNoException().isThrownBy(held::renew));
      isOver.run();

      assertThat(waiting).isNotDone();
      held.renew();
      held.close();
      try (Lease after = waiting.get(60, TimeUnit.SECONDS)) {
        assertThat(after.token()).isGreaterThan(held.token());
      }
      assertThat(losses).hasValue(0);
    }
  }

  @Test
  void a_leader_that_stalled_and_was_replaced_grants_nothing_when_it_comes_back() {
    ConsulServer leader = leader();
    try (LockStore store = open(cluster.url(), Duration.ofSeconds(20));
        LockStore onLeader = open(leader.url(), Duration.ofSeconds(20))) {
      Claim claim = Ask.mutex(lock);
      long token = Ask.granted(store, claim).token();
      pause(leader);
      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      assertThat(Ask.join(store, Ask.mutex(lock))).isInstanceOf(Busy.class);

      resume();

      assertThat(Ask.join(onLeader, Ask.mutex(lock))).isInstanceOf(Busy.class);
      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      Ask.leave(store, claim);
      assertThat(Ask.granted(onLeader, Ask.mutex(lock)).token()).isGreaterThan(token);
    }
  }

  @Test
  void a_server_that_is_cut_off_from_the_others_answers_unknown_until_it_is_reconnected() {
    ConsulServer alone = cluster.nodes().get(0);
    try (LockStore store = open(alone.url(), Duration.ofSeconds(2))) {
      Claim claim = Ask.mutex(lock);
      long token = Ask.granted(store, claim).token();
      pause(cluster.nodes().get(1));
      pause(cluster.nodes().get(2));

      assertThat(Ask.refresh(store, claim, soon())).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> Ask.join(store, Ask.mutex(lock), soon()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("may or may not have taken effect");
      assertThat(Ask.of(store.diagnose()).findings())
          .anyMatch(
              finding ->
                  finding.severity() == Severity.DANGER
                      && finding.message().contains("reaches no leader with a majority"));
      resume();

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Ask.refresh(store, claim).equals(new Granted(token)));
    }
  }

  @Test
  void without_a_quorum_all_is_unknown_and_nothing_hangs() {
    try (LockStore store = open(cluster.url(), Duration.ofSeconds(2))) {
      Claim claim = Ask.mutex(lock);
      Ask.granted(store, claim);
      kill(cluster.nodes().get(1));
      kill(cluster.nodes().get(2));

      assertThat(Ask.refresh(store, claim, soon())).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> Ask.join(store, Ask.mutex(lock), soon()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("may or may not have taken effect");
      assertThat(Ask.leave(store, Departure.of(claim), soon())).isEqualTo(Left.UNKNOWN);
      assertThatThrownBy(() -> Ask.of(store.inspect(lock))).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void a_restart_of_all_loses_nothing() {
    try (LockStore store = open(cluster.url(), Duration.ofSeconds(20))) {
      Claim claim = Ask.mutex(lock);
      Claim next = Ask.mutex(lock);
      AtomicInteger hints = new AtomicInteger();
      store.observe(lock, hints::incrementAndGet);
      long token = Ask.granted(store, claim).token();
      Ask.queue(store, next);

      cluster.restartAll();

      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      assertThat(Ask.refresh(store, next)).isEqualTo(new Queued(1));
      int before = hints.get();
      Ask.leave(store, claim);
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> hints.get() > before);
      assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
    }
  }

  private static ConsulServer leader() {
    return cluster.leaderSeenBy(cluster.nodes().get(0));
  }

  private static void awaitAnotherLeader(ConsulServer than) {
    ConsulServer other = cluster.nodes().get(cluster.nodes().get(0) == than ? 1 : 0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> cluster.leaderSeenBy(other) != than);
  }

  private void kill(ConsulServer server) {
    killed.add(server);
    server.kill();
  }

  private void pause(ConsulServer server) {
    paused.add(server);
    server.pause();
  }

  private void resume() {
    paused.forEach(ConsulServer::resume);
    paused.clear();
  }

  private static Deadline soon() {
    return Deadlines.in(Duration.ofSeconds(2));
  }

  private LockStore open(String url, Duration timeout) {
    return new ConsulProvider().open(url, new StoreSettings(ticker, timeout));
  }
}
