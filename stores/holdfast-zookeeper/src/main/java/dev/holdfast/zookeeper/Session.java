package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * One session with ZooKeeper and the claims that live and die with it.
 *
 * <p>It is the only watcher, so that a node that many claims wait for is watched once.
 *
 * <p><b>Threads.</b> Safe for any; events come on ZooKeeper's event thread, which never waits here.
 */
final class Session implements Watcher {

  private static final System.Logger LOG = System.getLogger(Session.class.getName());
  private static final byte[] NOTHING = new byte[0];

  private final ZooKeeper client;
  private final Zk zk;
  private final Ticker ticker;
  private final Observers observers;
  private final Runnable onEnd;
  private final Places places;
  private final CompletableFuture<Boolean> connected = new CompletableFuture<>();

  // Mutable state
  private final Set<String> watched = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean auditing = new AtomicBoolean();
  private volatile boolean ended;
  private volatile Clock clock;

  /** The server's clock, as an answer of its told. */
  private record Clock(long millis, long nanoTime) {}

  /**
   * Starts to connect.
   *
   * @param onEnd called when the session is over and its claims with it
   */
  Session(Dialer dialer, List<ACL> acl, Ticker ticker, Observers observers, Runnable onEnd) {
    this.ticker = ticker;
    this.observers = observers;
    this.onEnd = onEnd;
    this.clock = new Clock(0, ticker.nanoTime());
    this.places = new Places(ticker, this::remove);
    this.client = dialer.dial(this);
    this.zk = new Zk(client, acl);
    if (!(client instanceof Client)) {
      askForConnection(); // a client that is not ours tells us nothing before we watch a node
    }
  }

  private void askForConnection() {
    client.exists(
        "/",
        false,
        (code, path, context, stat) -> {
          if (code == Code.OK.intValue() || code == Code.NONODE.intValue()) {
            connected.complete(true);
          } else {
            connected.completeExceptionally(KeeperException.create(Code.get(code)));
          }
        },
        null);
  }

  /** Gets at a client of ZooKeeper. */
  @FunctionalInterface
  interface Dialer {

    /** The caller is told of what happens to the session, at least once it watches a node. */
    ZooKeeper dial(Watcher watcher);
  }

  Zk zk() {
    return zk;
  }

  Places places() {
    return places;
  }

  /** Completes with the first connection; fails if the server refuses the credentials. */
  CompletableFuture<Boolean> connected() {
    return connected;
  }

  boolean isOpen() {
    return !ended && connected.isDone() && !connected.isCompletedExceptionally();
  }

  /** Without a connection claims can be neither confirmed nor denied. */
  boolean isEnded() {
    return ended;
  }

  long id() {
    return client.getSessionId();
  }

  /** As negotiated on the present connection: another server may allow less. */
  Duration timeout() {
    return Duration.ofMillis(client.getSessionTimeout());
  }

  /**
   * The longest that a claim surely lives after the send of a write that was committed.
   *
   * <p>Less than the session's time-out, which the leader counts from when it last heard of the
   * session. It hears of those of other servers every half tick, with what they told it last, not
   * with their writes: if that server dies now, the leader may count from one renewal before.
   */
  Duration longestTtl() {
    return longestTtl(timeout());
  }

  /** Whether this claim can be kept for its ttl. */
  boolean lasts(Claim claim) {
    return claim.ttl().compareTo(longestTtl()) <= 0;
  }

  static Duration longestTtl(Duration timeout) {
    return timeout.multipliedBy(3).dividedBy(4);
  }

  /**
   * A write that the quorum commits: pings prove nothing, a server that is cut off answers them for
   * a while.
   */
  CompletableFuture<Stat> renew() {
    String node = Names.client(id());
    CompletableFuture<Stat> written =
        Zk.or(
            zk.setData(node, NOTHING),
            Code.NONODE,
            () -> zk.create(node, NOTHING, CreateMode.EPHEMERAL).thenApply(Zk.Made::stat));
    // Another renewal may have made it in between.
    return Zk.or(written, Code.NODEEXISTS, () -> zk.setData(node, NOTHING))
        .whenComplete(
            (stat, failure) -> {
              if (failure == null) {
                clock = new Clock(stat.getMtime(), ticker.nanoTime());
              }
            });
  }

  /** How long ago this was by the server's clock; never negative. */
  Duration since(long serverMillis) {
    Clock now = clock;
    long passed = Duration.ofNanos(ticker.nanoTime() - now.nanoTime).toMillis();
    return Duration.ofMillis(Math.max(0, now.millis + passed - serverMillis));
  }

  /** Asks to be told when this node changes or goes; if it is gone, tells at once. */
  void watch(String path) {
    if (watched.add(path)) {
      zk.read(path, this)
          .whenComplete(
              (content, failure) -> {
                if (failure != null) {
                  watched.remove(path);
                  observers.wake(Names.lockOf(path));
                }
              });
    }
  }

  /** Asks to be told of every change of a lock's queue. */
  void watchAll(String container) {
    if (watched.add(container)) {
      zk.children(container, this)
          .whenComplete(
              (children, failure) -> {
                if (failure != null) {
                  watched.remove(container);
                }
              });
    }
  }

  /** Asks to be told when a node of ours is deleted; if it is, the claim has ended. */
  CompletableFuture<Boolean> watchOwn(Place place) {
    CompletableFuture<Boolean> there =
        zk.read(place.path, this)
            .thenApply(
                content -> {
                  watched.add(place.path);
                  place.watched = true;
                  return true;
                });
    return Zk.or(
        there,
        Code.NONODE,
        () -> {
          lost(place);
          return CompletableFuture.completedFuture(false);
        });
  }

  /** Asks to be told of what happens to the session, where the client is not ours. */
  CompletableFuture<Boolean> watchState() {
    return zk.read(Names.ROOT, this).thenApply(content -> true);
  }

  @Override
  public void process(WatchedEvent event) {
    if (event.getType() == Event.EventType.None) {
      stateChanged(event.getState());
    } else if (event.getPath().equals(Names.ROOT)) {
      watchState();
    } else if (event.getType() == Event.EventType.NodeChildrenChanged) {
      watched.remove(event.getPath());
      observers.wake(Names.lockOf(event.getPath() + "/"));
    } else {
      nodeChanged(event.getPath(), event.getType() == Event.EventType.NodeDeleted);
    }
  }

  private void stateChanged(Event.KeeperState state) {
    switch (state) {
      case SyncConnected -> {
        if (!connected.complete(true)) {
          // Answers were lost with the connection, and events may have been.
          audit();
          observers.wakeAll();
        }
      }
      case Expired, Closed -> over();
      case AuthFailed -> {
        // This client will not connect any more: what it holds is given up.
        connected.completeExceptionally(
            new StoreException("", "ZooKeeper refuses the user or the password"));
        over();
      }
      default -> {
        // Disconnected: requests fail, claims stand until their deadline.
      }
    }
  }

  /** The client needs no closing: it has ended by itself. */
  private void over() {
    if (!ended) {
      ended = true;
      places.endAll();
      onEnd.run();
      observers.wakeAll();
    }
  }

  private void nodeChanged(String path, boolean deleted) {
    watched.remove(path);
    Place own = places.at(path);
    if (own != null) {
      own.watched = false;
      if (deleted) {
        places.end(own);
      }
    }
    observers.wake(Names.lockOf(path));
  }

  private void lost(Place place) {
    places.end(place);
    observers.wake(place.key.lock());
  }

  /**
   * Compares the nodes of this session with the claims that are meant to be there. Deletes
   * strangers: what a lost answer or a failed leave has left behind. Ends claims without a node.
   */
  void audit() {
    if (!auditing.compareAndSet(false, true)) {
      return;
    }
    List<Place> there = places.all().stream().filter(place -> place.is(Place.State.THERE)).toList();
    // The write comes first: whatever an earlier connection has sent is decided before it.
    List<CompletableFuture<?>> answers = new ArrayList<>(List.of(renew()));
    Set<String> found = new HashSet<>();
    for (int i = 0; i < Names.BUCKETS; i++) {
      answers.add(zk.ephemerals(Names.bucket(i)).thenAccept(paths -> paths.forEach(found::add)));
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .whenComplete(
            (all, failure) -> {
              auditing.set(false);
              if (failure == null) {
                compare(there, found);
              }
            });
  }

  private void compare(List<Place> there, Set<String> found) {
    Set<String> paths = new HashSet<>();
    for (String path : found) {
      // ZooKeeper tells them from its own root, we speak from the chroot.
      String ours = path.substring(path.lastIndexOf(Names.LOCKS + "/"));
      paths.add(ours);
      String id = Node.idOf(ours.substring(ours.lastIndexOf('/') + 1));
      if (places.get(new Place.Key(Names.lockOf(ours), id)) == null) {
        LOG.log(System.Logger.Level.DEBUG, "Deleting a node that a lost answer left behind");
        zk.delete(ours);
      }
    }
    for (Place place : there) {
      if (!paths.contains(place.path) && place.is(Place.State.THERE)) {
        lost(place);
      }
    }
  }

  /** Deletes the nodes of a claim that has ended. Returns whether the claim's was there. */
  CompletableFuture<Boolean> remove(Place place) {
    if (place.path.isEmpty()) {
      audit(); // it may have a node that nobody knows
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> deleted = zk.delete(place.path);
    int weight = place.claim.weight();
    if (place.isLowered()) {
      zk.delete(place.container() + "/" + Node.lowered(id(), place.key.id(), weight));
    }
    return deleted;
  }

  /** Claims that have not left stay until the server takes the session for dead. */
  void close() {
    ended = true;
    if (!(client instanceof Client ours)) {
      giveBack();
    } else if (places.all().isEmpty()) {
      ours.end();
    } else {
      ours.drop();
    }
    places.endAll();
  }

  /** The session goes on without us. */
  private void giveBack() {
    watched.add(Names.ROOT);
    for (String path : watched) {
      client.removeWatches(path, this, WatcherType.Any, true, (code, p, context) -> {}, null);
    }
    zk.delete(Names.client(id()));
  }
}
