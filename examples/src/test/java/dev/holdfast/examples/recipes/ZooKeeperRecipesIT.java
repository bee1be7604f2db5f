package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The locks that are nodes in ZooKeeper. */
@NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
class ZooKeeperRecipesIT {

  private static final int WAITERS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static ZooKeeperServer server;

  @TempDir Path folder;

  private final List<ZooKeeper> sessions = new ArrayList<>();
  private final String path = "/recipe-" + UUID.randomUUID();
  private final AtomicInteger woken = new AtomicInteger();

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start("4lw.commands.whitelist=*");
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
  void one_node_wakes_everybody_for_each_release() throws Exception {
    EphemeralNodeLock held = new EphemeralNodeLock(session(), path);
    assertThat(held.tryLock(event -> {})).isTrue();
    for (int i = 0; i < WAITERS; i++) {
      assertThat(new EphemeralNodeLock(session(), path).tryLock(this::wake)).isFalse();
    }
    assertThat(watches()).as("on the server").isEqualTo(WAITERS);
    held.unlock();
    await().atMost(PATIENCE).until(() -> woken.get() == WAITERS); // and one of them gets it
  }

  @Test
  void numbered_nodes_with_a_watch_on_the_parent_wake_everybody_too() throws Exception {
    ZooKeeper first = session();
    first.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    SequentialNodeLock held = new SequentialNodeLock(first, path);
    held.enter();
    assertThat(held.isLocked(event -> {})).isTrue();
    List<SequentialNodeLock> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      SequentialNodeLock waiter = new SequentialNodeLock(session(), path);
      waiter.enter();
      waiters.add(waiter);
    }
    for (SequentialNodeLock waiter : waiters) {
      assertThat(waiter.isLocked(this::wake)).isFalse();
    }
    assertThat(watches()).as("on the server").isEqualTo(WAITERS);
    held.unlock();
    await()
        .atMost(PATIENCE)
        .until(() -> woken.get() == WAITERS); // although it is clear who is next
    assertThat(waiters.get(0).isLocked(event -> {})).isTrue();
    assertThat(waiters.get(1).isLocked(event -> {})).isFalse();
  }

  @Test
  void neither_lets_its_holder_in_again_and_holdfast_does() throws Exception {
    EphemeralNodeLock held = new EphemeralNodeLock(session(), path);
    assertThat(held.tryLock(event -> {})).isTrue();
    assertThat(held.tryLock(event -> {})).isFalse();
    new Holdfasts("sqlite:" + folder.resolve("locks.db")).letTheHolderInAgain();
  }

  @Test
  void a_holder_whose_session_has_ended_writes_on_and_holdfast_refuses_it() throws Exception {
    ZooKeeper paused = session();
    assertThat(new EphemeralNodeLock(paused, path).tryLock(event -> {})).isTrue();
    paused.close(); // as the server does when it hears nothing from a paused process
    assertThat(new EphemeralNodeLock(session(), path).tryLock(event -> {})).isTrue();
    // Whatever the paused process writes elsewhere now is taken: there is no token to refuse.
    new Holdfasts("sqlite:" + folder.resolve("locks.db")).refuseAStaleHolder();
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

  /** How many watches the server keeps, as it says itself. */
  private static int watches() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer
          .lines()
          .filter(line -> line.startsWith("zk_watch_count"))
          .mapToInt(line -> Integer.parseInt(line.replaceAll("\\D+", "")))
          .findFirst()
          .orElseThrow(() -> new IOException(answer));
    }
  }
}
