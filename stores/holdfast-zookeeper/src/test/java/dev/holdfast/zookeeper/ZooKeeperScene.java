package dev.holdfast.zookeeper;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.StoreUrl.Host;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Stores, claims, and an operator's client, for tests that break things. */
public final class ZooKeeperScene implements AutoCloseable {

  public static final Duration TTL = Duration.ofMillis(7500);

  private final Ticker ticker = Ticker.system("zookeeper-scene");
  private final List<LockStore> stores = new CopyOnWriteArrayList<>();

  /** With sessions as long as the test servers allow. */
  public LockStore open(String url) {
    return openAs(url + "?session-timeout=10s");
  }

  /** With the URL as it is. */
  public LockStore openAs(String url) {
    LockStore store =
        new ZooKeeperProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(20)));
    stores.add(store);
    return store;
  }

  /** A claim to a mutex. */
  public static Claim mutex(String lock) {
    return claim(lock, Kind.MUTEX, 1, 1);
  }

  public static Claim claim(String lock, Kind kind, int weight, int capacity) {
    String id = UUID.randomUUID().toString().replace("-", "");
    Owner owner = new Owner("host", 1, "thread", "client", "");
    return new Claim(id, lock, kind, weight, capacity, owner, TTL, null, 0, 0);
  }

  /** The same claim with another ttl. */
  public static Claim lasting(Claim claim, Duration ttl) {
    return new Claim(
        claim.id(),
        claim.lock(),
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        claim.owner(),
        ttl,
        null,
        0,
        0);
  }

  public static String name() {
    return "it/" + UUID.randomUUID();
  }

  /** Deletes all nodes of a lock, as an operator might. */
  public static void deleteByHand(ZooKeeper operator, String lock) throws Exception {
    String container = NodePaths.container(lock);
    for (String child : operator.getChildren(container, false)) {
      operator.delete(container + "/" + child, -1);
    }
  }

  public static <T> T answer(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  public static long granted(LockStore store, Claim claim) throws Exception {
    JoinAnswer answer = answer(store.join(claim, false, Deadlines.far()));
    if (answer instanceof Granted granted) {
      return granted.token();
    }
    throw new AssertionError("expected a grant, not " + answer);
  }

  public static Standing standing(LockStore store, Claim claim) throws Exception {
    Standing standing = answer(store.refresh(List.of(claim), Deadlines.far())).get(claim);
    return standing == null ? new Unknown(null) : standing;
  }

  public static Left leave(LockStore store, Claim claim) throws Exception {
    Left left = answer(store.leave(List.of(Departure.of(claim)), Deadlines.far())).get(claim);
    return left == null ? Left.UNKNOWN : left;
  }

  public static ConditionFactory eventually() {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptions();
  }

  /** ZooKeeper's own client, connected. */
  public static ZooKeeper operator(String connectString) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            connectString,
            10_000,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    if (!connected.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no connection to " + connectString);
    }
    return client;
  }

  /** {@return a server's answer to one of ZooKeeper's four-letter words} */
  public static String ask(String connectString, String word) throws Exception {
    Host server = StoreUrl.parse("zookeeper://" + connectString).hosts(2181).get(0);
    return FourLetterWordMain.send4LetterWord(server.name(), server.port(), word, false, 20_000);
  }

  /** Takes a session over by its password, and closes it. */
  public static void expire(ZooKeeper client, String connectString) throws Exception {
    try (ZooKeeper other =
        new ZooKeeper(
            connectString, 10_000, event -> {}, client.getSessionId(), client.getSessionPasswd())) {
      eventually().until(() -> other.getState().isConnected());
    }
  }

  @Override
  public void close() {
    stores.parallelStream().forEach(LockStore::close);
    ticker.close();
  }
}
