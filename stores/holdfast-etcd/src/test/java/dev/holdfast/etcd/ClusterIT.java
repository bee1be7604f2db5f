package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.EtcdCluster;
import dev.holdfast.servers.EtcdServer;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members of a cluster fail while locks are held and waited for. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class ClusterIT {

  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(Duration.ofSeconds(30));

  private EtcdCluster cluster;

  @BeforeEach
  void start() {
    cluster = EtcdCluster.start();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void a_holder_and_a_waiter_outlive_the_leader() throws Exception {
    AtomicInteger losses = new AtomicInteger();
    try (Holdfast one = Holdfast.connect(cluster.url());
        Holdfast two = Holdfast.connect(cluster.url())) {
      Lease held = one.lock("lock", OPTIONS).acquire();
      held.onLost(losses::incrementAndGet);
      CompletableFuture<Lease> waiting = two.lock("lock", OPTIONS).acquireAsync();

      cluster.leader().kill();
      EtcdServer next = cluster.leader();

      assertThat(next).isNotNull();
      assertThat(held.state()).isNotEqualTo(LeaseState.LOST);
      assertThat(waiting).isNotDone();
      held.close();
      try (Lease after = waiting.get(60, TimeUnit.SECONDS)) {
        assertThat(after.token()).isGreaterThan(held.token());
      }
      assertThat(losses).hasValue(0);
    }
  }

  @Test
  void one_of_three_that_hangs_is_gone_round() {
    try (Ticker ticker = Ticker.system("cluster-it");
        LockStore store = open(cluster.url(), ticker, Duration.ofSeconds(15))) {
      Claim claim = Ask.mutex("lock");
      long token = Ask.granted(store, claim).token();
      cluster.nodes().get(0).pause(); // the first of the URL is the one that is asked

      try {
        assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
        assertThat(Ask.leave(store, claim)).isEqualTo(Left.LEFT);
        assertThat(Ask.granted(store, Ask.mutex("lock")).token()).isGreaterThan(token);
      } finally {
        cluster.nodes().get(0).resume();
      }
    }
  }

  @Test
  void without_a_quorum_all_is_unknown_and_nothing_hangs() {
    try (Ticker ticker = Ticker.system("cluster-it");
        LockStore store = open(cluster.url(), ticker, Duration.ofSeconds(2))) {
      Claim claim = Ask.mutex("lock");
      Ask.granted(store, claim);
      cluster.nodes().get(1).kill();
      cluster.nodes().get(2).kill();

      assertThat(Ask.refresh(store, claim, soon())).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> Ask.join(store, Ask.mutex("other"), soon()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("may or may not have taken effect");
      assertThat(Ask.leave(store, Departure.of(claim), soon())).isEqualTo(Left.UNKNOWN);
      assertThatThrownBy(() -> Ask.of(store.inspect("lock"))).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void a_member_that_is_cut_off_gives_unknown_and_goes_on_once_it_is_not() {
    EtcdServer alone = cluster.nodes().get(0);
    try (Ticker ticker = Ticker.system("cluster-it");
        LockStore store = open(alone.url(), ticker, Duration.ofSeconds(2))) {
      Claim claim = Ask.mutex("lock");
      long token = Ask.granted(store, claim).token();
      cluster.nodes().get(1).pause();
      cluster.nodes().get(2).pause();
      try {
        assertThat(Ask.refresh(store, claim, soon())).isInstanceOf(Unknown.class);
        assertThatThrownBy(() -> Ask.join(store, Ask.mutex("lock"), soon()))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("may or may not have taken effect");
        assertThatThrownBy(() -> Ask.of(store.inspect("lock"))).isInstanceOf(StoreException.class);
      } finally {
        cluster.nodes().get(1).resume();
        cluster.nodes().get(2).resume();
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> Ask.refresh(store, claim).equals(new Granted(token)));
    }
  }

  @Test
  void members_that_the_network_cuts_off_give_unknown_and_go_on_once_it_heals() {
    List<TcpProxy> network = new ArrayList<>();
    try (Ticker ticker = Ticker.system("cluster-it");
        EtcdCluster apart =
            EtcdCluster.startBehind(
                peer -> {
                  TcpProxy before = TcpProxy.to("127.0.0.1", peer);
                  network.add(before);
                  return before.port();
                });
        LockStore store = open(apart.url(), ticker, Duration.ofSeconds(6));
        LockStore ofOne = open(apart.nodes().get(0).url(), ticker, Duration.ofSeconds(6))) {
      Claim claim = Ask.mutex("lock");
      long token = Ask.granted(store, claim).token();
      Ask.granted(ofOne, Ask.mutex("other"));

      network.forEach(TcpProxy::hang); // all of them run, and each is on its own

      var renewal = Ask.refreshing(store, claim, Deadlines.in(Duration.ofSeconds(6)));
      var join = ofOne.join(Ask.mutex("lock"), false, Deadlines.in(Duration.ofSeconds(6)));
      var look = ofOne.inspect("lock");
      assertThat(Ask.of(renewal)).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> Ask.of(join))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("may or may not have taken effect");
      assertThatThrownBy(() -> Ask.of(look)).isInstanceOf(StoreException.class);
      network.forEach(TcpProxy::heal);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Ask.refresh(store, claim).equals(new Granted(token)));
    } finally {
      network.forEach(TcpProxy::close);
    }
  }

  @Test
  void a_leader_that_stalls_is_replaced_and_grants_nothing_when_it_comes_back() {
    EtcdServer leader = cluster.leader();
    try (Ticker ticker = Ticker.system("cluster-it");
        LockStore store = open(cluster.url(), ticker, Duration.ofSeconds(15));
        LockStore onLeader = open(leader.url(), ticker, Duration.ofSeconds(15))) {
      Claim claim = Ask.mutex("lock");
      long token = Ask.granted(store, claim).token();
      leader.pause();
      try {
        assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
        assertThat(Ask.join(store, Ask.mutex("lock"))).isInstanceOf(Busy.class);
      } finally {
        leader.resume();
      }

      assertThat(Ask.join(onLeader, Ask.mutex("lock"))).isInstanceOf(Busy.class);
      assertThat(Ask.refresh(store, claim)).isEqualTo(new Granted(token));
      Ask.leave(store, claim);
      assertThat(Ask.granted(onLeader, Ask.mutex("lock")).token()).isGreaterThan(token);
    }
  }

  @Test
  void a_restart_of_all_loses_nothing() {
    try (Ticker ticker = Ticker.system("cluster-it");
        LockStore store = open(cluster.url(), ticker, Duration.ofSeconds(20))) {
      Claim claim = Ask.mutex("lock");
      Claim next = Ask.mutex("lock");
      AtomicInteger hints = new AtomicInteger();
      store.observe("lock", hints::incrementAndGet);
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

  private static Deadline soon() {
    return Deadlines.in(Duration.ofSeconds(2));
  }

  private static LockStore open(String url, Ticker ticker, Duration timeout) {
    return new EtcdProvider().open(url, new StoreSettings(ticker, timeout));
  }
}
