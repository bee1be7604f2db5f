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
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.store.Logged;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes without a claim go, and no others. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class GhostIT {

  private final ZooKeeperServer server = ZooKeeperServer.shared();
  private final ZooKeeperScene scene = new ZooKeeperScene();
  private final String lock = ZooKeeperScene.name();
  private final String container = NodePaths.container(lock);
  private ZooKeeper operator;

  @BeforeEach
  void connect() throws Exception {
    operator = ZooKeeperScene.operator(server.connectString());
  }

  @AfterEach
  void close() throws Exception {
    scene.close();
    operator.close();
  }

  /** It still looks whether the one ahead leaves, when it has left and come back itself. */
  @Test
  void a_join_that_was_taken_back_does_not_delete_the_one_that_followed() throws Exception {
    LockStore store = scene.open(server.url());
    Claim claim = mutex(lock);
    granted(store, claim); // makes the folders
    leave(store, claim);
    String head = create("1-x-semaphore.1.3.wait-");
    var looking = store.join(claim, false, Deadlines.far()).toCompletableFuture();
    eventually().until(() -> operator.getChildren(container, false).size() == 2);
    leave(store, claim);
    operator.delete(head, -1);
    long token = granted(store, claim);

    assertThat(looking.handle((answer, failure) -> true)).succeedsWithin(Duration.ofSeconds(30));

    assertThat(standing(store, claim)).isEqualTo(new Granted(token));
  }

  /** Twice the server did it and the answer was lost. */
  @Test
  void a_claim_with_two_nodes_leaves_none_behind() throws Exception {
    LockStore other = scene.open(server.url());
    Claim first = mutex(lock);
    granted(other, first);
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim twice = mutex(lock);
      network.hangAnswers();
      var join = store.join(twice, true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> operator.getChildren(container, false).size() == 2);
      // Its twin has the same name but for the number.
      String node =
          operator.getChildren(container, false).stream()
              .filter(name -> name.contains(twice.id()))
              .findFirst()
              .orElseThrow();
      create(node.substring(0, node.lastIndexOf('-') + 1));
      network.cut();
      network.heal();
      assertThat(join).failsWithin(Duration.ofSeconds(30));
      eventually()
          .untilAsserted(
              () ->
                  assertThat(answer(store.join(twice, true, Deadlines.far())))
                      .isInstanceOf(dev.holdfast.spi.Queued.class));

      leave(store, twice);

      assertThat(operator.getChildren(container, false)).hasSize(1);
    }
  }

  @Test
  void a_weight_that_was_lowered_twice_leaves_nothing_behind() throws Exception {
    LockStore store = scene.open(server.url());
    Claim permits = claim(lock, Kind.SEMAPHORE, 5, 5);
    granted(store, permits);
    assertThat(standing(store, permits.weighing(3))).isInstanceOf(Granted.class);
    assertThat(standing(store, permits.weighing(1))).isInstanceOf(Granted.class);

    leave(store, permits);

    eventually().until(() -> operator.getChildren(container, false).isEmpty());
  }

  @Test
  void a_keepable_claim_whose_join_was_not_answered_leaves_nothing_behind() throws Exception {
    LockStore other = scene.open(server.url());
    Claim first = mutex(lock);
    granted(other, first); // makes the folders
    leave(other, first);
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim unanswered = mutex(lock).keepable(true);
      network.hangAnswers();
      var join = store.join(unanswered, true, Deadlines.far()).toCompletableFuture();
      eventually().until(() -> operator.getChildren(container, false).size() == 2);
      network.cut();
      network.heal();
      assertThat(join).failsWithin(Duration.ofSeconds(30));

      eventually().until(() -> leave(store, unanswered) != Left.UNKNOWN);

      eventually().until(() -> operator.getChildren(container, false).isEmpty());
    }
  }

  @Test
  void the_mark_of_a_claim_that_was_deleted_by_hand_goes_too() throws Exception {
    LockStore store = scene.open(server.url());
    Claim kept = mutex(lock).keepable(true);
    granted(store, kept);
    String node =
        operator.getChildren(container, false).stream()
            .filter(name -> !ClaimNode.isFurther(name))
            .findFirst()
            .orElseThrow();

    operator.delete(container + "/" + node, -1);

    assertThat(standing(store, kept)).isEqualTo(Gone.GONE);
    eventually().until(() -> operator.getChildren(container, false).isEmpty());
  }

  /** The claim lives on with its session: it is not gone because its client is. */
  @Test
  void a_renewal_that_meets_the_end_of_the_store_does_not_tell_a_loss() throws Exception {
    try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
      LockStore store = scene.open("zookeeper://127.0.0.1:" + network.port());
      Claim claim = mutex(lock);
      granted(store, claim);
      network.hangAnswers();
      CompletableFuture<Map<Claim, Standing>> renewal =
          store.refresh(List.of(claim), Deadlines.far()).toCompletableFuture();

      store.close();

      eventually().until(renewal::isDone);
      if (!renewal.isCompletedExceptionally()) {
        assertThat(renewal.join().get(claim)).isNotEqualTo(Gone.GONE);
      }
    }
  }

  @Test
  void why_a_lock_was_lost_is_logged_without_the_id_of_its_claim() throws Exception {
    try (Logged logged = Logged.by(Session.class, Level.INFO)) {
      LockStore store = scene.open(server.url());
      Claim claim = mutex(lock);
      granted(store, claim);

      ZooKeeperScene.deleteByHand(operator, lock);

      assertThat(standing(store, claim)).isEqualTo(Gone.GONE);
      assertThat(logged.texts())
          .anyMatch(text -> text.contains(lock) && text.contains("its node was deleted"))
          .noneMatch(text -> text.contains(claim.id()));
    }
  }

  /** A node of the operator, in place of another client's. */
  private String create(String name) throws Exception {
    return operator.create(
        container + "/" + name,
        ClaimRecord.bytes(mutex(lock)),
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL);
  }
}
