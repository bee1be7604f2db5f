package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperEnsemble;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three servers, of which one fails, or all. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ZooKeeperEnsembleIT {

  /** Longer than servers take to come back, on a busy machine too. */
  private static final Duration PATIENT = Duration.ofSeconds(45);

  private static ZooKeeperEnsemble ensemble;

  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();
  private ZooKeeperServer leader;
  private List<ZooKeeperServer> followers;

  @BeforeAll
  static void start() {
    ensemble = ZooKeeperEnsemble.start();
  }

  @AfterAll
  static void stop() {
    ensemble.close();
  }

  @BeforeEach
  void findLeader() {
    leader = ensemble.leader();
    followers = ensemble.nodes().stream().filter(node -> node != leader).toList();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_grant_through_one_server_is_seen_at_once_through_another() throws Exception {
    LockStore one = scene.open(followers.get(0).url());
    LockStore other = scene.open(followers.get(1).url());
    assertThat(one.traits().consistency()).isEqualTo(Consistency.LINEARIZABLE);

    for (int i = 0; i < 50; i++) {
      Claim claim = mutex(lock);
      long token = granted(one, claim);
      assertThat(answer(other.inspect(lock)).holders().get(0).token()).isEqualTo(token);
      leave(one, claim);
      assertThat(answer(other.inspect(lock)).isHeld()).isFalse();
    }
  }

  @Test
  void holders_and_waiters_outlive_the_leader() throws Exception {
    Pair pair = new Pair();

    leader.kill();

    pair.lives();
    pair.takesTurns();
    leader.restart();
  }

  @Test
  void holders_and_waiters_outlive_a_restart_of_all_servers() throws Exception {
    Pair pair = new Pair();

    CompletableFuture<Void> restarted = CompletableFuture.runAsync(ensemble::restartAll);

    pair.lives();
    restarted.join();
    pair.takesTurns();
  }

  /**
   * ZooKeeper's client notices a server that hangs after two thirds of the session's time-out, and
   * waits for up to a second before it goes to another: a lease whose ttl is short may be over.
   */
  @Test
  void a_follower_that_hangs_confirms_nothing_and_its_clients_go_elsewhere() throws Exception {
    ZooKeeperServer follower = followers.get(0);
    LockStore store = scene.open(ensemble.url());
    LockStore stuck = scene.open(follower.url());
    Claim holder = mutex(lock);
    Claim lost = mutex(ZooKeeperScene.name());
    long token = granted(store, holder);
    granted(stuck, lost);

    follower.pause();
    try {
      var unanswered = stuck.refresh(List.of(lost), Deadlines.far()).toCompletableFuture();
      eventually()
          .untilAsserted(
              () -> assertThat(standing(store, holder)).isIn(new Granted(token), Gone.GONE));
      eventually().until(() -> granted(store, mutex(ZooKeeperScene.name())) > 0);
      LockStore other = scene.open(leader.url());
      eventually().until(() -> !answer(other.inspect(lost.lock())).isHeld());
      assertThat(granted(other, mutex(lost.lock()))).isPositive();
      assertThat(unanswered.getNow(Map.of()).get(lost)).isNotInstanceOf(Granted.class);
    } finally {
      follower.resume();
    }
    eventually().until(() -> leave(store, holder) != Left.UNKNOWN);
  }

  /**
   * The leader hears of a session from its follower every half tick, not with its writes. When the
   * follower dies right after a renewal, the leader counts from what it heard before.
   */
  @Test
  void a_renewal_counts_in_full_although_the_server_that_took_it_dies() throws Exception {
    ZooKeeperServer follower = followers.get(0);
    LockStore store = scene.open(follower.url());
    LockStore other = scene.open(leader.url());
    Claim holder = mutex(lock);
    granted(store, holder);
    // As long as an idle client keeps silent at most: a third of the session's time-out.
    long silent = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    eventually().until(() -> System.nanoTime() - silent > 0);

    long sent = System.nanoTime();
    assertThat(standing(store, holder)).isInstanceOf(Granted.class);
    follower.kill();

    eventually().until(() -> !answer(other.inspect(lock)).isHeld());
    Duration lived = Duration.ofNanos(System.nanoTime() - sent);
    assertThat(lived).isGreaterThanOrEqualTo(holder.ttl().multipliedBy(3).dividedBy(4));
    follower.restart();
  }

  /** Pitfall 10, with two servers: the leave overtakes the join, which comes by the old one. */
  @Test
  void a_join_that_arrives_after_its_session_has_moved_leaves_no_ghost() throws Exception {
    LockStore other = scene.open(leader.url());
    Claim first = mutex(lock);
    granted(other, first);
    leave(other, first);
    try (TcpProxy old = TcpProxy.to("127.0.0.1", followers.get(0).port());
        TcpProxy next = TcpProxy.to("127.0.0.1", followers.get(1).port())) {
      next.cut();
      LockStore store =
          scene.open("zookeeper://127.0.0.1:" + old.port() + ",127.0.0.1:" + next.port());
      Claim late = mutex(lock);
      old.hang();
      var join = store.join(late, true, Deadlines.far()).toCompletableFuture();
      next.heal();

      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually()
          .until(
              () ->
                  answer(store.leave(List.of(Departure.withTombstone(late)), Deadlines.far()))
                          .get(late)
                      == Left.GONE);
      old.heal();
      eventually().until(() -> old.connections() == 0); // what hung in it has arrived

      assertThat(granted(other, mutex(lock))).isPositive();
      assertThat(answer(other.inspect(lock)).waiters()).isEmpty();
    }
  }

  /** One holds, the other waits. */
  private final class Pair {
    private final LockStore one = scene.openAs(ensemble.url() + "?session-timeout=60s");
    private final LockStore other = scene.openAs(ensemble.url() + "?session-timeout=60s");
    private final Claim holder = ZooKeeperScene.lasting(mutex(lock), PATIENT);
    private final Claim waiter = ZooKeeperScene.lasting(mutex(lock), PATIENT);
    private final long token = granted(one, holder);

    Pair() throws Exception {
      assertThat(answer(other.join(waiter, true, Deadlines.far()))).isInstanceOf(Queued.class);
    }

    /** Both are renewed until both have an answer again; a waiter may have to join once more. */
    void lives() {
      eventually()
          .untilAsserted(
              () -> {
                var ahead = one.refresh(List.of(holder), Deadlines.far());
                var behind = other.join(waiter, true, Deadlines.far());
                assertThat(answer(ahead)).containsEntry(holder, new Granted(token));
                assertThat(answer(behind)).isEqualTo(new Queued(1));
              });
    }

    void takesTurns() {
      eventually().until(() -> leave(one, holder) != Left.UNKNOWN);
      eventually()
          .untilAsserted(
              () ->
                  assertThat(answer(other.join(waiter, true, Deadlines.far())))
                      .isInstanceOfSatisfying(
                          Granted.class, next -> assertThat(next.token()).isGreaterThan(token)));
    }
  }
}
