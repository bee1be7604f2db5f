package dev.holdfast.zookeeper;

import static dev.holdfast.zookeeper.ZooKeeperScene.answer;
import static dev.holdfast.zookeeper.ZooKeeperScene.claim;
import static dev.holdfast.zookeeper.ZooKeeperScene.eventually;
import static dev.holdfast.zookeeper.ZooKeeperScene.granted;
import static dev.holdfast.zookeeper.ZooKeeperScene.leave;
import static dev.holdfast.zookeeper.ZooKeeperScene.mutex;
import static dev.holdfast.zookeeper.ZooKeeperScene.standing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many claims to one lock: only the next one is woken. */
@NeedsServer(Server.ZOOKEEPER)
class CrowdIT {

  private static final int PERMITS = 40;
  private static final int WAITERS = 12;

  private final String url = ZooKeeperServer.shared().url();
  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_permit_that_comes_free_wakes_those_whose_turn_it_is() throws Exception {
    List<Claim> holders = new ArrayList<>();
    LockStore holding = scene.open(url);
    for (int i = 0; i < PERMITS; i++) {
      holders.add(permit(PERMITS));
      granted(holding, holders.get(i));
    }
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      waiters.add(new Waiter(PERMITS));
    }

    for (int i = 0; i < 5; i++) {
      leave(holding, holders.get(2 * i));
      Waiter next = waiters.get(i);
      eventually().until(() -> next.hints.get() > 0);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
    }

    assertThat(waiters.stream().skip(5).mapToInt(waiter -> waiter.hints.get()).sum())
        .as("hints to those whose turn has not come")
        .isZero();
  }

  @Test
  void few_permits_wake_those_whose_turn_it_is() throws Exception {
    LockStore holding = scene.open(url);
    List<Claim> holders = List.of(permit(3), permit(3), permit(3));
    for (Claim holder : holders) {
      granted(holding, holder);
    }
    List<Waiter> waiters = List.of(new Waiter(3), new Waiter(3), new Waiter(3), new Waiter(3));

    for (int i = 0; i < 2; i++) {
      leave(holding, holders.get(i));
      Waiter next = waiters.get(i);
      eventually().until(() -> next.hints.get() > 0);
      assertThat(standing(next.store, next.claim)).isInstanceOf(Granted.class);
    }

    assertThat(waiters.get(2).hints).hasValue(0);
    assertThat(waiters.get(3).hints).hasValue(0);
  }

  @Test
  void a_permit_that_comes_free_before_the_queue_is_watched_is_not_missed() throws Exception {
    LockStore holding = scene.open(url);
    Claim first = permit(PERMITS);
    granted(holding, first);
    for (int i = 1; i < PERMITS; i++) {
      granted(holding, permit(PERMITS));
    }
    try (Meddler client = new Meddler(ZooKeeperServer.shared().connectString());
        LockStore store = ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE)) {
      AtomicInteger hints = new AtomicInteger();
      store.observe(lock, hints::incrementAndGet);
      client.beforeQueueWatch(() -> leaves(holding, first));

      assertThat(answer(store.join(permit(PERMITS), true, Deadlines.far())))
          .isInstanceOf(Queued.class);

      eventually().until(() -> hints.get() > 0);
    }
  }

  @Test
  void a_weight_that_is_lowered_before_it_is_watched_is_not_missed() throws Exception {
    LockStore holding = scene.open(url);
    Claim writer = claim(lock, Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED);
    granted(holding, writer);
    try (Meddler client = new Meddler(ZooKeeperServer.shared().connectString());
        LockStore store = ZooKeeperLockStore.over(client, ZooDefs.Ids.OPEN_ACL_UNSAFE)) {
      AtomicInteger hints = new AtomicInteger();
      store.observe(lock, hints::incrementAndGet);
      client.beforeNodeWatch(
          () ->
              holding
                  .refresh(List.of(writer.weighing(1)), Deadlines.far())
                  .toCompletableFuture()
                  .join());

      Claim reader = claim(lock, Kind.READ_WRITE, 1, Kind.UNBOUNDED);
      assertThat(answer(store.join(reader, true, Deadlines.far()))).isInstanceOf(Queued.class);

      eventually().until(() -> hints.get() > 0);
      assertThat(standing(store, reader)).isInstanceOf(Granted.class);
    }
  }

  /** ZooKeeper would cut the connections of all who look at more. */
  @Test
  void a_queue_that_is_full_takes_no_more() throws Exception {
    LockStore store = scene.open(url);
    Claim claim = mutex(lock);
    granted(store, claim);
    try (ZooKeeper operator = ZooKeeperScene.operator(ZooKeeperServer.shared().connectString())) {
      for (int i = 0; i < 10; i++) {
        operator.multi(crowd(500));
      }

      assertThat(store.join(mutex(lock), true, Deadlines.far()))
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(StoreException.class)
          .withMessageContaining("queue is full");
      assertThat(operator.getChildren(NodePaths.container(lock), false)).hasSize(5_001);
      assertThat(standing(store, claim)).isInstanceOf(Granted.class);
    }
  }

  private List<Op> crowd(int size) {
    List<Op> ops = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Claim one = mutex(lock);
      ops.add(
          Op.create(
              NodePaths.container(lock) + "/" + ClaimNode.prefix(1, one, true),
              ClaimRecord.bytes(one),
              ZooDefs.Ids.OPEN_ACL_UNSAFE,
              CreateMode.EPHEMERAL_SEQUENTIAL));
    }
    return ops;
  }

  private Claim permit(int of) {
    return claim(lock, Kind.SEMAPHORE, 1, of);
  }

  private static void leaves(LockStore store, Claim claim) {
    try {
      leave(store, claim);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** A client that waits for a permit. */
  private final class Waiter {
    private final AtomicInteger hints = new AtomicInteger();
    private final LockStore store = scene.open(url);
    private final Claim claim;

    Waiter(int of) throws Exception {
      claim = permit(of);
      store.observe(lock, hints::incrementAndGet);
      assertThat(answer(store.join(claim, true, Deadlines.far()))).isInstanceOf(Queued.class);
    }
  }
}
