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
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A session that lives proves no claim, and one that ends takes all of them. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ZooKeeperSessionIT {

  private static ZooKeeperServer server;

  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start("4lw.commands.whitelist=*");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_node_deleted_by_hand_is_a_loss_while_the_session_lives() throws Exception {
    LockStore store = scene.open(server.url());
    Claim deleted = mutex(lock);
    Claim other = mutex(ZooKeeperScene.name());
    granted(store, deleted);
    granted(store, other);

    try (ZooKeeper operator = ZooKeeperScene.operator(server.connectString())) {
      ZooKeeperScene.deleteByHand(operator, lock);
    }

    assertThat(standing(store, deleted)).isEqualTo(Gone.GONE);
    assertThat(standing(store, other)).isInstanceOf(Granted.class);
  }

  @Test
  void the_deletion_of_a_held_node_gives_a_hint_without_being_asked() throws Exception {
    LockStore store = scene.open(server.url());
    Claim deleted = mutex(lock);
    AtomicInteger hints = new AtomicInteger();
    store.observe(lock, hints::incrementAndGet);
    granted(store, deleted);
    standing(store, deleted); // its answer comes after the one that set the watch
    int before = hints.get();

    try (ZooKeeper operator = ZooKeeperScene.operator(server.connectString())) {
      ZooKeeperScene.deleteByHand(operator, lock);
    }

    eventually().until(() -> hints.get() > before);
    assertThat(standing(store, deleted)).isEqualTo(Gone.GONE);
  }

  /** Everybody who gives up leaves a watch behind at most on what it waited for, once. */
  @Test
  void watches_do_not_pile_up() throws Exception {
    LockStore store = scene.open(server.url());
    LockStore other = scene.open(server.url());
    Claim holder = mutex(lock);
    granted(other, holder);
    store.observe(lock, () -> {});
    int before = watches();

    for (int i = 0; i < 20; i++) {
      Claim waiter = mutex(lock);
      answer(store.join(waiter, true, Deadlines.far()));
      leave(store, waiter);
    }
    for (int i = 0; i < 20; i++) {
      Claim claim = mutex(ZooKeeperScene.name());
      granted(store, claim);
      leave(store, claim);
    }

    eventually().untilAsserted(() -> assertThat(watches()).isLessThanOrEqualTo(before + 1));
  }

  private static int watches() throws Exception {
    String report = ZooKeeperScene.ask(server.connectString(), "wchs");
    return Integer.parseInt(report.strip().replaceAll("(?s).*Total watches:", ""));
  }

  /** The head is of another kind and about to leave: it has never held the lock. */
  @Test
  void a_claim_that_leaves_at_once_does_not_set_the_kind_for_others() throws Exception {
    LockStore store = otherThatHasUsedTheLock();
    try (ZooKeeper operator = ZooKeeperScene.operator(server.connectString())) {
      eventually()
          .untilAsserted(
              () -> {
                Claim claim = mutex(lock);
                String container = NodePaths.container(lock);
                String head =
                    operator.create(
                        container + "/1-x-semaphore.1.3.wait-",
                        ClaimRecord.bytes(claim),
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL);
                var join = store.join(claim, true, Deadlines.far()).toCompletableFuture();
                eventually().until(() -> operator.getChildren(container, false).size() == 2);
                operator.delete(head, -1);

                JoinAnswer answer = answer(join);
                leave(store, claim);
                assertThat(answer).isInstanceOf(Granted.class);
              });
    }
  }

  @Test
  void a_store_whose_server_is_silent_closes_all_the_same() throws Exception {
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      // A blocking close would wait until the client takes the server for dead: forty seconds.
      LockStore store =
          scene.openAs("zookeeper://127.0.0.1:" + network.port() + "?session-timeout=60s");
      network.hang();

      assertThat(CompletableFuture.runAsync(store::close)).succeedsWithin(Duration.ofSeconds(20));
    }
  }

  @Test
  void a_claim_outlives_a_restart_of_the_server_and_tokens_rise_over_it() throws Exception {
    LockStore store = scene.openAs(server.url() + "?session-timeout=60s");
    Claim holder = ZooKeeperScene.lasting(mutex(lock), Duration.ofSeconds(45));
    Claim released = mutex(ZooKeeperScene.name());
    long token = granted(store, holder);
    long earlier = granted(store, released);
    leave(store, released);

    server.restart();

    eventually()
        .untilAsserted(() -> assertThat(standing(store, holder)).isEqualTo(new Granted(token)));
    assertThat(granted(store, mutex(released.lock()))).isGreaterThan(earlier);
  }

  @Test
  void an_expired_session_has_lost_all_its_claims_and_a_new_one_takes_over() throws Exception {
    LockStore other = scene.open(server.url());
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store =
          scene.openAs("zookeeper://127.0.0.1:" + network.port() + "?session-timeout=4s");
      Claim holder = ZooKeeperScene.lasting(mutex(lock), Duration.ofSeconds(3));
      Claim next = ZooKeeperScene.lasting(mutex(lock), Duration.ofSeconds(3));
      long token = granted(store, holder);

      network.hang();
      eventually().until(() -> !answer(other.inspect(lock)).isHeld());
      network.cut();
      network.heal();

      eventually().untilAsserted(() -> assertThat(standing(store, holder)).isEqualTo(Gone.GONE));
      eventually().untilAsserted(() -> assertThat(leave(store, holder)).isEqualTo(Left.GONE));
      eventually().untilAsserted(() -> assertThat(granted(store, next)).isGreaterThan(token));
    }
  }

  @Test
  void a_join_and_a_leave_while_the_session_is_being_replaced_wait_for_the_next_one()
      throws Exception {
    LockStore other = scene.open(server.url());
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim holder = mutex(lock);
      Claim next = mutex(lock);
      long token = granted(store, holder);
      CompletableFuture<CompletionStage<JoinAnswer>> join = new CompletableFuture<>();
      CompletableFuture<CompletionStage<Map<Claim, Left>>> leave = new CompletableFuture<>();
      // All are woken when the session is over; the next one is not even dialled then.
      store.observe(
          "nobody else wakes those who watch this",
          () -> {
            leave.complete(store.leave(List.of(Departure.of(holder)), Deadlines.far()));
            join.complete(store.join(next, false, Deadlines.far()));
          });

      network.hang();
      eventually().until(() -> !answer(other.inspect(lock)).isHeld());
      network.cut();
      network.heal();

      assertThat(answer(answer(leave))).containsEntry(holder, Left.GONE);
      assertThat(answer(answer(join)))
          .isInstanceOfSatisfying(
              Granted.class, granted -> assertThat(granted.token()).isGreaterThan(token));
    }
  }

  /** Pitfall 10: the server does it, and the answer gets lost. */
  @Test
  void a_join_whose_answer_was_lost_leaves_no_ghost_once_it_is_taken_back() throws Exception {
    LockStore other = otherThatHasUsedTheLock();
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim lost = mutex(lock);
      network.hangAnswers();
      var join = store.join(lost, true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> answer(other.inspect(lock)).isHeld());
      network.cut();
      network.heal();

      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually()
          .until(
              () ->
                  answer(store.leave(List.of(Departure.withTombstone(lost)), Deadlines.far()))
                          .get(lost)
                      != Left.UNKNOWN);

      assertThat(answer(other.inspect(lock)).isHeld()).isFalse();
      granted(other, mutex(lock));
    }
  }

  @Test
  void a_join_without_an_answer_that_is_not_repeated_is_found_by_the_audit() throws Exception {
    LockStore other = otherThatHasUsedTheLock();
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      network.hangAnswers();
      var join = store.join(mutex(lock), true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> answer(other.inspect(lock)).isHeld());
      network.cut();
      network.heal();

      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually().until(() -> !answer(other.inspect(lock)).isHeld());
    }
  }

  @Test
  void a_join_that_is_answered_after_its_ttl_grants_nothing() throws Exception {
    LockStore other = otherThatHasUsedTheLock();
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      network.hangAnswers();
      Claim late = ZooKeeperScene.lasting(mutex(lock), Duration.ofMillis(500));
      long over = System.nanoTime() + late.ttl().toNanos();
      var join = store.join(late, true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> System.nanoTime() - over > 0);
      network.heal();

      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually().until(() -> !answer(other.inspect(lock)).isHeld());
    }
  }

  @Test
  void a_join_that_is_repeated_after_its_answer_was_lost_finds_its_claim() throws Exception {
    LockStore other = otherThatHasUsedTheLock();
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim claim = mutex(lock);
      network.hangAnswers();
      var join = store.join(claim, true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> answer(other.inspect(lock)).isHeld());
      long token = answer(other.inspect(lock)).holders().get(0).token();
      network.cut();
      network.heal();
      assertThat(join).failsWithin(Duration.ofSeconds(30));

      eventually()
          .untilAsserted(
              () ->
                  assertThat(answer(store.join(claim, true, Deadlines.far())))
                      .isEqualTo(new Granted(token)));

      assertThat(answer(other.inspect(lock)).holders()).hasSize(1);
      assertThat(answer(other.inspect(lock)).waiters()).isEmpty();
    }
  }

  /** What it stands on is there then, and one request makes a claim. */
  private LockStore otherThatHasUsedTheLock() throws Exception {
    LockStore other = scene.open(server.url());
    Claim claim = mutex(lock);
    granted(other, claim);
    leave(other, claim);
    return other;
  }
}
