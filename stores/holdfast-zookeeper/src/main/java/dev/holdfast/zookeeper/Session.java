package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
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

  private final Client client;
  private final Zk zk;
  private final Ticker ticker;
  private final Observers observers;
  private final Runnable onExpired;
  private final Places places;
  private final CompletableFuture<Boolean> connected = new CompletableFuture<>();

  // Mutable state
  private final Set<String> watched = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean auditing = new AtomicBoolean();
  private volatile Clock clock;

  /** The server's clock, as an answer of its told. */
  private record Clock(long millis, long nanoTime) {}

  Session(ZooKeeperAddress address, Ticker ticker, Observers observers, Runnable onExpired)
      throws IOException {
    this.ticker = ticker;
    this.observers = observers;
    this.onExpired = onExpired;
    this.clock = new Clock(0, ticker.nanoTime());
    this.places = new Places(ticker, this::remove);
    this.client =
        new Client(address.connectString(), (int) address.sessionTimeout().toMillis(), this);
    this.zk = new Zk(client, address.acl());
    address.logIn(client);
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
    return connected.isDone() && !connected.isCompletedExceptionally();
  }

  long id() {
    return client.getSessionId();
  }

  /** As negotiated on the present connection. */
  Duration timeout() {
    return Duration.ofMillis(client.getSessionTimeout());
  }

  /**
   * A write that the quorum commits: pings prove nothing, a server that is cut off answers them for
   * a while.
   */
  CompletableFuture<Stat> renew() {
    String node = Names.CLIENTS + "/" + Long.toHexString(id());
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

  /** Asks to be told when a node of ours is deleted. */
  void watchOwn(Place place) {
    zk.read(place.path, this)
        .whenComplete(
            (content, failure) -> {
              if (failure == null) {
                watched.add(place.path);
                place.watched = true;
              } else if (Zk.is(failure, Code.NONODE)) {
                places.end(place);
              }
            });
  }

  @Override
  public void process(WatchedEvent event) {
    switch (event.getType()) {
      case None -> stateChanged(event.getState());
      case NodeChildrenChanged -> {
        watched.remove(event.getPath());
        observers.wake(Names.lockOf(event.getPath() + "/"));
      }
      default -> nodeChanged(event.getPath(), event.getType() == Event.EventType.NodeDeleted);
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
      case Expired -> {
        places.endAll();
        client.end();
        onExpired.run();
        observers.wakeAll();
      }
      case AuthFailed ->
          connected.completeExceptionally(
              new StoreException("", "ZooKeeper refuses the user or the password"));
      default -> {
        // Disconnected: requests fail, claims stand until their deadline.
      }
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
      String ours = path.substring(path.indexOf(Names.LOCKS));
      paths.add(ours);
      String id = Node.idOf(ours.substring(ours.lastIndexOf('/') + 1));
      if (places.get(new Place.Key(Names.lockOf(ours), id)) == null) {
        LOG.log(System.Logger.Level.DEBUG, "Deleting a node that a lost answer left behind");
        zk.delete(ours);
      }
    }
    for (Place place : there) {
      if (!paths.contains(place.path) && place.is(Place.State.THERE)) {
        places.end(place);
        observers.wake(place.key.lock());
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
    if (places.all().isEmpty()) {
      client.end();
    } else {
      client.drop();
    }
    places.endAll();
  }
}
