package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The locks that are nodes in ZooKeeper. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ZooKeeperRecipesIT {

  private static final int WAITERS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static ZooKeeperServer server;

  private final List<ZooKeeper> sessions = new ArrayList<>();
  private final String path = "/recipe-" + UUID.randomUUID();
  private final AtomicInteger woken = new AtomicInteger();
  private final AtomicReference<String> data = new AtomicReference<>("fresh");

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start("4lw.commands.whitelist=*", "maxSessionTimeout=60000");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() throws InterruptedException {
    for (ZooKeeper session : sessions) {
      session.close();
    }
  }

  @Test
  @Shows("one-ephemeral-node | wakes a herd | **yes**")
  void one_node_wakes_everybody_for_each_release() throws Exception {
    EphemeralNodeLock held = new EphemeralNodeLock(session(), path);
    assertThat(held.tryLock(event -> {})).isTrue();
    for (int i = 0; i < WAITERS; i++) {
      assertThat(new EphemeralNodeLock(session(), path).tryLock(this::wake)).isFalse();
    }
    assertThat(server("zk_watch_count")).isEqualTo(WAITERS);
    long before = events();
    held.unlock();
    await().atMost(PATIENCE).until(() -> woken.get() == WAITERS); // and one of them gets it
    assertThat(events() - before).as("sent by the server").isEqualTo(WAITERS);
  }

  @Test
  @Shows("numbered-nodes | wakes a herd | **yes**")
  void numbered_nodes_with_a_watch_on_the_parent_wake_everybody_too() throws Exception {
    String parent = parent();
    SequentialNodeLock held = new SequentialNodeLock(session(), parent);
    held.enter();
    assertThat(held.isLocked(event -> {})).isTrue();
    List<SequentialNodeLock> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      SequentialNodeLock waiter = new SequentialNodeLock(session(), parent);
      waiter.enter();
      waiters.add(waiter);
    }
    for (SequentialNodeLock waiter : waiters) {
      assertThat(waiter.isLocked(this::wake)).isFalse();
    }
    long before = events();
    held.unlock();
    await().atMost(PATIENCE).until(() -> woken.get() == WAITERS); // although only one can be next
    assertThat(events() - before).as("sent by the server").isEqualTo(WAITERS);
    assertThat(waiters.get(0).isLocked(event -> {})).isTrue();
    assertThat(waiters.get(1).isLocked(event -> {})).isFalse();
  }

  @Test
  void with_holdfast_a_release_is_reported_to_the_next_in_line_only() throws Exception {
    List<Holdfast> clients = new ArrayList<>();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    try (Holdfast holder = Holdfast.connect(server.url())) {
      Lease held = holder.lock(path).acquire();
      for (int i = 0; i < WAITERS; i++) {
        Holdfast client = Holdfast.connect(server.url());
        clients.add(client);
        waiters.add(client.lock(path).acquireAsync());
        int queued = i + 1;
        await().atMost(PATIENCE).until(() -> holder.inspect(path).waiters().size() == queued);
      }
      long before = events();
      held.release();
      Lease next = waiters.get(0).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(next.isValid()).isTrue();
      assertThat(waiters.subList(1, WAITERS)).noneMatch(CompletableFuture::isDone);
      assertThat(events() - before)
          .as("sent by the server: one to the holder, about its own node, and one to the next")
          .isLessThan(WAITERS / 4); // more than these two only if the machine stalls
    } finally {
      clients.forEach(Holdfast::close);
    }
  }

  @Test
  @Shows({
    "one-ephemeral-node | not reentrant | **yes**",
    "numbered-nodes | not reentrant | **yes**"
  })
  void neither_is_reentrant_and_holdfast_is() throws Exception {
    EphemeralNodeLock held = new EphemeralNodeLock(session(), path);
    assertThat(held.tryLock(event -> {})).isTrue();
    assertThat(held.tryLock(event -> {})).isFalse();
    SequentialNodeLock numbered = new SequentialNodeLock(session(), parent());
    numbered.enter();
    assertThat(numbered.isLocked(event -> {})).isTrue();
    numbered.enter();
    assertThat(numbered.isLocked(event -> {})).as("its second node waits for its first").isFalse();
    new Holdfasts(server.url()).letTheHolderInAgain();
  }

  @Test
  @Shows({
    "one-ephemeral-node | a crash locks for ever | no",
    "one-ephemeral-node | a stale holder writes | **yes**"
  })
  void a_holder_whose_session_has_ended_writes_on_and_holdfast_refuses_it() throws Exception {
    ZooKeeper paused = session();
    assertThat(new EphemeralNodeLock(paused, path).tryLock(event -> {})).isTrue();
    paused.close(); // as the server does when the heartbeats of a paused process stop
    assertThat(new EphemeralNodeLock(session(), path).tryLock(event -> {})).isTrue();
    assertThat(staleWriteIsTaken()).isTrue();
    new Holdfasts(server.url()).refuseAStaleHolder();
  }

  @Test
  @Shows({
    "numbered-nodes | a crash locks for ever | no",
    "numbered-nodes | a stale holder writes | **yes**"
  })
  void so_does_one_with_a_numbered_node() throws Exception {
    String parent = parent();
    ZooKeeper paused = session();
    SequentialNodeLock first = new SequentialNodeLock(paused, parent);
    SequentialNodeLock second = new SequentialNodeLock(session(), parent);
    first.enter();
    second.enter();
    assertThat(first.isLocked(event -> {})).isTrue();
    paused.close();
    assertThat(second.isLocked(event -> {})).isTrue();
    assertThat(staleWriteIsTaken()).isTrue();
  }

  @Test
  @Shows("one-ephemeral-node | frees the lock of others | **yes**")
  void any_client_that_deletes_the_one_node_frees_the_lock_of_others_and_holdfast_does_not()
      throws Exception {
    EphemeralNodeLock slow = new EphemeralNodeLock(session(), path);
    assertThat(slow.tryLock(event -> {})).isTrue();
    session().delete(path, -1); // an operator believes that it is dead
    assertThat(new EphemeralNodeLock(session(), path).tryLock(event -> {})).isTrue();
    slow.unlock(); // it was not dead
    assertThat(new EphemeralNodeLock(session(), path).tryLock(event -> {}))
        .as("two holders")
        .isTrue();
    new Holdfasts(server.url()).leaveTheNextHolderAlone();
  }

  @Test
  @Shows("numbered-nodes | frees the lock of others | no")
  void a_late_unlock_of_a_numbered_node_finds_it_gone() throws Exception {
    String parent = parent();
    SequentialNodeLock slow = new SequentialNodeLock(session(), parent);
    SequentialNodeLock next = new SequentialNodeLock(session(), parent);
    slow.enter();
    next.enter();
    slow.unlock(); // an operator believes that it is dead
    assertThat(next.isLocked(event -> {})).isTrue();
    assertThatThrownBy(slow::unlock).isInstanceOf(KeeperException.NoNodeException.class);
    assertThat(next.isLocked(event -> {})).as("still held").isTrue();
  }

  /** The data are elsewhere, and a write has nothing by which they could tell old from new. */
  private boolean staleWriteIsTaken() {
    return data.compareAndSet("fresh", "stale");
  }

  private String parent() throws Exception {
    String parent = "/recipe-" + UUID.randomUUID();
    return session().create(parent, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private void wake(WatchedEvent event) {
    if (event.getType() != Watcher.Event.EventType.None) {
      woken.incrementAndGet();
    }
  }

  private ZooKeeper session() throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper session =
        new ZooKeeper(
            server.connectString(),
            10_000,
            event -> {
              if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    sessions.add(session);
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    return session;
  }

  /** How many events for watches the server has sent, as it says itself. */
  private static long events() throws IOException {
    return server("zk_sum_node_(created|deleted|changed|children)_watch_count");
  }

  /** The sum of those of the server's own figures that are called so. */
  private static long server(String names) throws IOException {
    Pattern line = Pattern.compile(names + "\\s+(\\d+)\\s*");
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      List<Matcher> found = answer.lines().map(line::matcher).filter(Matcher::matches).toList();
      assertThat(found).as(answer).isNotEmpty();
      return found.stream().mapToLong(at -> Long.parseLong(at.group(at.groupCount()))).sum();
    }
  }
}
