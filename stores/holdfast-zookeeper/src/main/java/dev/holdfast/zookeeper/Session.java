package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.PrintableText;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

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
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** After a connection that broke while the store was opened: somebody waits for it. */
  static final Duration SOON = Duration.ofMillis(50);

  private final ZooKeeper client;
  private final Zk zk;
  private final Ticker ticker;
  private final Observers observers;
  private final Runnable onEnd;
  private final Places places;
  private final Lookout lookout;
  private final Audit audit;
  private final CompletableFuture<Boolean> connected = new CompletableFuture<>();
  private final CompletableFuture<Boolean> replaced = new CompletableFuture<>();

  // Mutable state
  private volatile boolean ended;
  private volatile boolean over;
  private volatile boolean refused;
  private volatile Clock clock;
  private volatile @Nullable Thread events;

  /** The server's clock, as an answer of its told. */
  private record Clock(long millis, long nanoTime) {}

  /**
   * Starts to connect.
   *
   * @param onEnd called when the session is over and its claims with it
   */
  Session(Origin origin, Ticker ticker, Observers observers, Runnable onEnd) {
    this.ticker = ticker;
    this.observers = observers;
    this.onEnd = onEnd;
    this.clock = new Clock(0, ticker.nanoTime());
    this.places = new Places(ticker, this::expired);
    this.audit =
        new Audit(
            this, origin.chroot(), place -> lost(place, "the session has no such node any more"));
    this.client = origin.dialer().dial(this);
    this.zk = new Zk(client, origin.acl());
    this.lookout = new Lookout(zk, this, places, observers, ticker);
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
          } else if (code == Code.CONNECTIONLOSS.intValue() && !ended) {
            ticker.schedule(SOON, this::askForConnection); // it may be about to make another
          } else {
            connected.completeExceptionally(Zk.failure(code));
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

  Lookout lookout() {
    return lookout;
  }

  /** Completes with the first connection; fails if the server refuses the credentials. */
  CompletableFuture<Boolean> connected() {
    return connected;
  }

  /** Completes when another session follows this one, or the store is closed. */
  CompletableFuture<Boolean> replaced() {
    return replaced;
  }

  boolean isOpen() {
    return !ended && connected.isDone() && !connected.isCompletedExceptionally();
  }

  /** Whether it is over, or closed by us. */
  boolean isEnded() {
    return ended;
  }

  /** Whether its claims have ended with it; of a session that we closed nobody knows that. */
  boolean isOver() {
    return over;
  }

  /** Whether it is over because the server does not want us. */
  boolean isRefused() {
    return refused;
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
    return Duration.ofMillis(timeout.toMillis() * 3 / 4);
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

  /**
   * A look at a lock that misses nothing from before the call. ZooKeeper's {@code sync} does not
   * give that: a leader that was deposed and does not know it answers it like any other.
   */
  CompletableFuture<Queue> look(String container) {
    CompletableFuture<Stat> written = renew();
    return written.thenCombine(
        zk.childrenIfAny(container), (stat, names) -> Queue.of(container, names)); // sent at once
  }

  /** How long ago this was by the server's clock; never negative. */
  Duration since(long serverMillis) {
    Clock now = clock;
    long passed = Duration.ofNanos(ticker.nanoTime() - now.nanoTime).toMillis();
    return Duration.ofMillis(Math.max(0, now.millis + passed - serverMillis));
  }

  /** Asks to be told of what happens to the session, where the client is not ours. */
  CompletableFuture<Boolean> watchState() {
    return zk.read(Names.ROOT, this).thenApply(content -> true);
  }

  private void keepWatchingState() {
    if (!ended) {
      watchState()
          .whenComplete(
              (yes, failure) -> {
                if (failure != null) {
                  ticker.schedule(AGAIN, this::keepWatchingState);
                } else if (forgetsWatches()) {
                  reconnected();
                }
              });
    }
  }

  @Override
  public void process(WatchedEvent event) {
    events = Thread.currentThread();
    if (event.getType() == Event.EventType.None) {
      // ZooKeeper's client has no name for the state in which it cannot even try to log in.
      stateChanged(event.getState() == null ? Event.KeeperState.AuthFailed : event.getState());
    } else if (event.getPath().equals(Names.ROOT)) {
      keepWatchingState();
    } else if (Names.isContainer(event.getPath())) {
      lookout.queueChanged(event.getPath());
    } else {
      lookout.nodeChanged(event.getPath());
    }
  }

  private void stateChanged(Event.KeeperState state) {
    switch (state) {
      case SyncConnected -> {
        if (!connected.complete(true)) {
          reconnected();
        }
      }
      case Expired -> over("it has expired");
      case Closed -> over("its client was closed");
      case AuthFailed -> {
        if (client.getState().isAlive()) {
          // It goes on without that login, and its session with it: nothing is lost.
          LOG.log(
              System.Logger.Level.WARNING,
              "ZooKeeper's client could not log in with SASL (JAAS section Client) and goes on"
                  + " without");
        } else {
          refused = true;
          over("its login was refused");
          connected.completeExceptionally(
              new StoreException("", "ZooKeeper refuses the user or the password"));
        }
      }
      case Disconnected -> {
        // Requests fail, claims stand until their deadline.
        if (forgetsWatches()) {
          lookout.forget();
          ticker.schedule(AGAIN, this::keepWatchingState);
        }
      }
      default -> {
        // Nothing that concerns claims.
      }
    }
  }

  /** Whether the client drops all watches with its connection, ours of the session too. */
  private boolean forgetsWatches() {
    return client.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
  }

  /** Answers were lost with the connection. Events come late, but come. */
  private void reconnected() {
    audit();
    // Not those who hold and are watched: of them there may be very many.
    places.all().stream()
        .filter(place -> !place.granted || !place.watched)
        .forEach(place -> observers.wake(place.key.lock()));
  }

  /** The client needs no closing: it has ended by itself. */
  private void over(String why) {
    if (!ended) {
      over = true;
      ended = true;
      LOG.log(
          System.Logger.Level.WARNING,
          "Session {0} is over: {1}; {2} claims have ended with it",
          Long.toHexString(id()),
          why,
          places.all().size());
      places.endAll();
      onEnd.run();
      observers.wakeAll();
    }
  }

  /** The claim has ended although nobody of ours wanted it to. */
  void lost(Place place, String why) {
    if (places.end(place)) {
      tellLoss(place, why);
      observers.wake(place.key.lock());
    }
  }

  private static void tellLoss(Place place, String why) {
    LOG.log(
        place.granted ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
        "{0} is lost (token {1,number,#}): {2}",
        PrintableText.quote(place.key.lock()),
        place.token,
        why);
  }

  /** Looks for nodes without a claim, and claims without a node. */
  void audit() {
    audit.run();
  }

  private void expired(Place place) {
    tellLoss(place, "it was not renewed within its ttl");
    remove(place);
  }

  /** Deletes the nodes of a claim that has ended. Returns whether the claim's was there. */
  CompletableFuture<Boolean> remove(Place place) {
    if (place.path.isEmpty()) {
      audit(); // it may have a node that nobody knows
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> deleted = zk.delete(place.path);
    place.lowered().forEach(zk::delete);
    return deleted;
  }

  /**
   * Claims that have not left stay until the server takes the session for dead; on a client that is
   * not ours that might be never, so there they leave.
   */
  void close() {
    ended = true;
    connected.completeExceptionally(new StoreException("", "The store is closed"));
    if (!(client instanceof Client ours)) {
      giveBack();
    } else if (places.all().isEmpty()) {
      ours.end(Thread.currentThread() != events);
    } else {
      ours.drop();
    }
    places.endAll();
  }

  /** The session goes on without us. */
  private void giveBack() {
    Set<String> watched = lookout.watched();
    watched.add(Names.ROOT);
    for (String path : watched) {
      client.removeWatches(path, this, WatcherType.Any, true, (code, p, context) -> {}, null);
    }
    places.all().forEach(this::remove);
    zk.delete(Names.client(id()));
  }
}
