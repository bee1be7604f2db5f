package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.lasting;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperEnsemble;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that runs, answers its clients, and is cut off from the others by the network. It knows
 * nothing new, and does not know that.
 */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class CutOffIT {

  /** The third leads, and holds on for two minutes without the others. */
  private static final int LEADER = 3;

  private static final String SESSION = "?session-timeout=40s";

  private static final Map<String, TcpProxy> ROADS = new ConcurrentHashMap<>();
  private static ZooKeeperEnsemble ensemble;

  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();

  @BeforeAll
  static void start() {
    ensemble = ZooKeeperEnsemble.start(new Roads());
  }

  @AfterAll
  static void stop() {
    ensemble.close();
    ROADS.values().forEach(TcpProxy::close);
  }

  @BeforeEach
  void letTheThirdLead() {
    while (ensemble.leader() != server(LEADER)) {
      ensemble.leader().restart(); // of two that know the same, the higher number wins
    }
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_leader_that_is_cut_off_tells_nothing_old() throws Exception {
    LockStore old = scene.openAs(server(LEADER).url() + SESSION);
    LockStore others = scene.openAs(server(1).url() + ",127.0.0.1:" + server(2).port() + SESSION);
    Claim first = lasting(mutex(lock), Duration.ofSeconds(30));
    long token = granted(others, first);
    try (ZooKeeper client = ZooKeeperScene.operator(server(LEADER).connectString());
        ZooKeeper reader = ZooKeeperScene.operator(server(LEADER).connectString());
        ZooKeeper elsewhere = ZooKeeperScene.operator(server(1).connectString())) {
      ZooKeeperFence.over(elsewhere, ZooDefs.Ids.OPEN_ACL_UNSAFE).enter(proof(token));
      ZooKeeperFence fence = ZooKeeperFence.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE);
      fence.check(proof(token));

      roadsTo(LEADER).forEach(TcpProxy::hang);
      // Elections bypass the proxy, and a server that still follows votes for the leader: so both
      // must
      // lose it.
      ensemble.restart(List.of(server(1), server(2)));
      // Gone, if the answer was lost or the audit came first.
      eventually().until(() -> leave(others, first) != Left.UNKNOWN);
      long next = granted(others, lasting(mutex(lock), Duration.ofSeconds(30)));
      try (ZooKeeper later = ZooKeeperScene.operator(server(2).connectString())) {
        ZooKeeperFence.over(later, ZooDefs.Ids.OPEN_ACL_UNSAFE).enter(proof(next));
      }
      CompletableFuture<LockInfo> inspected = old.inspect(lock).toCompletableFuture();
      CompletableFuture<Boolean> evicted =
          old.evict(lock, LockStore.ANY_TOKEN).toCompletableFuture();
      CompletableFuture<Void> checked = CompletableFuture.runAsync(() -> fence.check(proof(token)));
      assertThat(server(LEADER).mode()).isEqualTo("leader");
      assertThat(reader.getChildren(NodePaths.container(lock), false))
          .as("what it believes")
          .anyMatch(name -> name.contains(first.id()));
      server(LEADER).kill(); // ends whatever has not been answered

      eventually().until(() -> inspected.isDone() && evicted.isDone() && checked.isDone());
      assertThat(inspected).isCompletedExceptionally();
      assertThat(evicted).isCompletedExceptionally();
      assertThat(checked).isCompletedExceptionally();
      assertThat(answer(others.inspect(lock)).holders().get(0).token()).isEqualTo(next);
    } finally {
      roadsTo(LEADER).forEach(TcpProxy::heal);
      server(LEADER).restart();
    }
  }

  @Test
  void a_follower_that_is_cut_off_confirms_nothing() throws Exception {
    LockStore stuck = scene.openAs(server(1).url() + "?session-timeout=4s");
    LockStore other = scene.openAs(server(2).url() + SESSION);
    Claim lost = lasting(mutex(lock), Duration.ofSeconds(3));
    long token = granted(stuck, lost);
    TcpProxy road = ROADS.get(road(1, LEADER));
    try (ZooKeeper reader = ZooKeeperScene.operator(server(1).connectString())) {
      road.hang();
      CompletableFuture<Map<Claim, Standing>> unanswered =
          stuck.refresh(List.of(lost), Deadlines.far()).toCompletableFuture();
      assertThat(reader.getChildren(NodePaths.container(lock), false)).hasSize(1); // it answers

      eventually().until(() -> !answer(other.inspect(lock)).isHeld());
      assertThat(granted(other, lasting(mutex(lock), Duration.ofSeconds(30)))).isGreaterThan(token);
      assertThat(unanswered.handle((all, failure) -> all == null ? null : all.get(lost)).join())
          .isNotInstanceOf(Granted.class);
    } finally {
      road.heal();
    }
  }

  private Proof proof(long token) {
    return new Proof(lock, token, Mode.EXCLUSIVE, new Owner("host", 1, "thread", "client", ""));
  }

  private static ZooKeeperServer server(int number) {
    return ensemble.nodes().get(number - 1);
  }

  private static List<TcpProxy> roadsTo(int number) {
    return ROADS.entrySet().stream()
        .filter(road -> road.getKey().endsWith(">" + number))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static String road(int from, int to) {
    return from + ">" + to;
  }

  /** A proxy between each two. */
  private static final class Roads implements ZooKeeperEnsemble.Layout {

    @Override
    public int road(int from, int to, int port) {
      return ROADS
          .computeIfAbsent(CutOffIT.road(from, to), name -> TcpProxy.to("127.0.0.1", port))
          .port();
    }

    @Override
    public List<String> settings(int number) {
      return number == LEADER ? List.of("syncLimit=240") : List.of();
    }
  }
}
