package dev.holdfast.zookeeper;

import dev.holdfast.PrintableText;
import dev.holdfast.StoreException;
import dev.holdfast.leased.HolderWatch.DelayedWatch;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Ticker;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * A session with ZooKeeper and the claims that end with it.
 *
 * <p>It is the only watcher, so a node that blocks many claims is watched once.
 *
 * <p>Thread-safe; events come on ZooKeeper's event thread, which never blocks here.
 */
final class Session implements Watcher {

  private static final System.Logger LOG = System.getLogger(Session.class.getName());
  static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  /** Most locks are released sooner, and a watch would cost more than the lock. */
  private static final Duration BEFORE_WATCH = Duration.ofMillis(50);

  private final ZooKeeper client;
  final AsyncZooKeeper zk;
  private final Ticker ticker;
  private final Observers observers;
  private final Consumer<Duration> onEnd;
  final ClaimRegistry claims;
  final Wakeups wakeups;
  final KeepableClaims keepable;
  private final DelayedWatch<OwnClaim> holders;
  private final Audit audit;
  private final CompletableFuture<Session> connected = new CompletableFuture<>();

  // Mutable state
  private volatile State state = State.CURRENT;
  private volatile @Nullable Thread events;

  private enum State {
    CURRENT,
    /** By us: its claims may live on. */
    CLOSED,
    /** Its claims have ended with it. */
    EXPIRED
  }

  /**
   * Starts to connect.
   *
   * @param onEnd called when the session and its claims have ended, with the pause to make before
   *     the next attempt
   */
  Session(SessionSource source, Ticker ticker, Observers observers, Consumer<Duration> onEnd) {
    this.ticker = ticker;
    this.observers = observers;
    this.onEnd = onEnd;
    this.claims = new ClaimRegistry(ticker, this::notRenewed);
    this.audit =
        new Audit(this, source.chroot(), own -> lost(own, "the session no longer has its node"));
    this.client = source.dialer().apply(this);
    this.zk = new AsyncZooKeeper(client, source.acl());
    this.wakeups = new Wakeups(zk, this, claims, observers);
    this.keepable = new KeepableClaims(zk, wakeups, observers);
    this.holders = new DelayedWatch<>(ticker, BEFORE_WATCH, wakeups::watchHolder);
    if (!(client instanceof DetachableClient)) {
      connected.complete(this); // a caller's client reports no events to us before we watch a node
    }
  }

  /** {@return completes with the first connection; fails if the server refuses the credentials} */
  CompletableFuture<Session> connected() {
    return connected;
  }

  /** {@return true if it has ended or we closed it} */
  boolean isEnded() {
    return state != State.CURRENT;
  }

  /** {@return true if its claims have ended with it} */
  boolean isExpired() {
    return state == State.EXPIRED;
  }

  long id() {
    return client.getSessionId();
  }

  /** {@return as negotiated for the current connection; another server may allow less} */
  Duration timeout() {
    return Duration.ofMillis(client.getSessionTimeout());
  }

  /**
   * Less than the session's time-out, which the leader counts from its last report about the
   * session. A follower reports its sessions every half tick, not with their writes: if it dies
   * right after a renewal, the leader may count from the renewal before.
   *
   * @return the longest ttl that a committed write guarantees, counted from its send
   */
  Duration longestTtl() {
    return longestTtl(timeout());
  }

  /** {@return true if the session outlives the claim's ttl} */
  boolean lasts(Claim claim) {
    return claim.ttl().compareTo(longestTtl(timeout())) <= 0;
  }

  static Duration longestTtl(Duration timeout) {
    return Duration.ofMillis(timeout.toMillis() * 3 / 4);
  }

  /**
   * Records a grant.
   *
   * @param sent when the request that proved the grant was sent
   * @return the grant, or null if the claim has ended
   */
  @Nullable Granted grant(OwnClaim own, Claim asked, long sent) {
    if (!own.granted) {
      own.granted = true;
      holders.add(own);
    }
    return claims.renewed(own, sent) ? own.grant(asked.spares()) : null;
  }

  /** Records that the claim waits, and watches what blocks it. */
  Queued enqueue(OwnClaim own, NodeQueue queue, int index) {
    ClaimNode first = queue.nodes().get(0);
    // A claim of weight one can only leave; the weight of others may also be lowered.
    boolean alone = index == 1 && first.weight() == 1;
    own.behindKeepable = queue.isBehindKeepable(index);
    own.onlyAhead = alone ? own.container + "/" + first.name() : null;
    wakeups.follow(own, queue, index);
    return new Queued(index, own.behindKeepable);
  }

  /** Subscribes to session events, which a caller's client reports to watchers of nodes only. */
  CompletableFuture<Boolean> watchState() {
    return zk.read(NodePaths.ROOT, this).thenApply(content -> true);
  }

  private void keepWatchingState() {
    if (!isEnded()) {
      watchState()
          .whenComplete(
              (yes, failure) -> {
                if (failure != null) {
                  ticker.schedule(RETRY_PAUSE, this::keepWatchingState);
                } else if (dropsWatches()) {
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
    } else if (event.getPath().equals(NodePaths.ROOT)) {
      keepWatchingState();
    } else if (NodePaths.isContainer(event.getPath())) {
      wakeups.queueChanged(event.getPath());
    } else {
      wakeups.nodeChanged(event.getPath());
    }
  }

  private void stateChanged(Event.KeeperState state) {
    switch (state) {
      case SyncConnected -> {
        if (!connected.complete(this)) {
          reconnected();
        }
      }
      case Expired -> end("it has expired", Duration.ZERO);
      case Closed -> end("its client was closed", Duration.ZERO);
      case AuthFailed -> {
        if (client.getState().isAlive()) {
          // The client and its session go on without that login: nothing is lost.
          LOG.log(
              System.Logger.Level.WARNING,
              "ZooKeeper's client could not log in with SASL (JAAS section Client) and goes on"
                  + " without a login");
        } else {
          end("its login was refused", RETRY_PAUSE); // the next will be refused too
          connected.completeExceptionally(
              new StoreException("", "ZooKeeper refused the user or the password"));
        }
      }
      case Disconnected -> {
        // Requests fail; claims live until their deadline.
        if (dropsWatches()) {
          wakeups.forget();
          ticker.schedule(RETRY_PAUSE, this::keepWatchingState);
        }
      }
      default -> {
        // Claims are not affected.
      }
    }
  }

  /** {@return true if the client loses all its watches with the connection} */
  private boolean dropsWatches() {
    return client.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
  }

  /** Answers were lost with the connection; events are only late. */
  private void reconnected() {
    audit();
    // Except watched holders, of which there may be very many.
    claims.all().stream()
        .filter(own -> !own.granted || !own.watched)
        .forEach(own -> observers.wake(own.key.lock()));
  }

  /** The client needs no closing: it has ended by itself. */
  private void end(String why, Duration pause) {
    if (!isEnded()) {
      state = State.EXPIRED;
      onEnd.accept(pause); // first: what is asked from now on waits for the next session
      LOG.log(
          System.Logger.Level.WARNING,
          "Session {0} is over: {1}; {2} claims have ended with it",
          Long.toHexString(id()),
          why,
          claims.all().size());
      claims.endAll();
      observers.wakeAll();
    }
  }

  /** Ends a claim that has not left. */
  void lost(OwnClaim own, String why) {
    if (claims.end(own)) {
      logLoss(own, why);
      removeFurther(own);
      observers.wake(own.key.lock());
    }
  }

  private static void logLoss(OwnClaim own, String why) {
    LOG.log(
        own.granted ? System.Logger.Level.INFO : System.Logger.Level.DEBUG,
        "{0} is lost (token {1,number,#}): {2}",
        PrintableText.quote(own.key.lock()),
        own.token,
        why);
  }

  /** Looks for nodes without a claim, and claims without a node. */
  void audit() {
    audit.run();
  }

  private void notRenewed(OwnClaim own) {
    logLoss(own, "it was not renewed within its ttl");
    remove(own);
  }

  /**
   * Deletes the nodes of a claim that has ended.
   *
   * @return true if the claim's own node existed
   */
  CompletableFuture<Boolean> remove(OwnClaim own) {
    if (own.path.isEmpty()) {
      audit(); // it may have a node whose create was not answered
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> deleted = zk.delete(own.path);
    removeFurther(own);
    return deleted;
  }

  /** Deletes the nodes that a claim has besides its own. */
  void removeFurther(OwnClaim own) {
    own.lowered().forEach(zk::delete);
    if (own.keepable) {
      var unused = keepable.remove(own);
    }
  }

  /**
   * Claims that have not left stay until the session expires. On a caller's client that might never
   * happen, so there they leave.
   */
  void close() {
    if (state == State.CURRENT) {
      state = State.CLOSED;
    }
    connected.completeExceptionally(new StoreException("", "The store is closed"));
    if (!(client instanceof DetachableClient ours)) {
      giveBack();
    } else if (claims.all().isEmpty()) {
      ours.end(Thread.currentThread() != events);
    } else {
      ours.drop();
    }
    claims.endAll();
  }

  /** Removes our watches and nodes from a session that goes on. */
  private void giveBack() {
    Set<String> watched = wakeups.watched();
    watched.add(NodePaths.ROOT);
    for (String path : watched) {
      client.removeWatches(path, this, WatcherType.Any, true, (code, p, context) -> {}, null);
    }
    claims.all().forEach(this::remove);
    zk.delete(NodePaths.client(id()));
  }
}
