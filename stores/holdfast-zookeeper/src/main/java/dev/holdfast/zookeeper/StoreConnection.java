package dev.holdfast.zookeeper;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.ExpiringMap;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The current session and its replacement when it ends.
 *
 * <p>Thread-safe.
 */
final class StoreConnection {

  private static final System.Logger LOG = System.getLogger(StoreConnection.class.getName());

  /** Pause after a connection that broke while the store is being opened: the caller waits. */
  private static final Duration SOON = Duration.ofMillis(50);

  final SessionSource source;
  final Observers observers = new Observers();
  final Ticker ticker;
  private final Failures failures;
  private final ExpiringMap<ClaimKey, Boolean> tombstones;

  // Mutable state
  private volatile Session session;
  private volatile boolean closed;

  /** The session once it is connected or, after it has ended, the next. */
  private volatile CompletableFuture<Session> usable = new CompletableFuture<>();

  private volatile Registration nextAudit = Registration.NONE;

  private StoreConnection(SessionSource source, Ticker ticker) {
    this.source = source;
    this.ticker = ticker;
    this.failures = new Failures(source);
    this.tombstones = new ExpiringMap<>(ticker);
    this.session = dial();
  }

  private Session dial() {
    Session next = new Session(source, ticker, observers, this::sessionEnded);
    next.connected().thenAccept(connected -> usable.complete(connected));
    return next;
  }

  /** Connects, waiting no longer than the operation time-out. */
  static StoreConnection open(SessionSource source, StoreSettings settings) {
    StoreConnection connection = new StoreConnection(source, settings.ticker());
    try {
      connection.ready().get(settings.operationTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      connection.close();
      throw new StoreException(
          "", "No answer from " + source + " within " + settings.operationTimeout(), e);
    } catch (ExecutionException e) {
      connection.close();
      throw source.refusal(Failures.unwrap(e.getCause() == null ? e : e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      connection.close();
      throw new StoreException("", "Interrupted while connecting to " + source, e);
    }
    connection.auditLater();
    return connection;
  }

  /** Survives a broken connection: the client makes another by itself. */
  private CompletableFuture<Boolean> ready() {
    CompletableFuture<Boolean> ready =
        session
            .connected()
            .thenCompose(yes -> makeRoot())
            .thenCompose(made -> session("").zk.commit())
            .thenCompose(renewed -> session("").watchState()); // fails once it is closed
    return AsyncZooKeeper.or(
        ready,
        Code.CONNECTIONLOSS,
        () -> closed ? ready : ticker.after(SOON).thenCompose(yes -> ready()));
  }

  /**
   * @return the session in use
   * @throws StoreException if the last one has ended and no server was reached since
   */
  Session session(String lock) {
    CompletableFuture<Session> known = usable;
    if (!isConnected(known)) {
      throw noSession(lock);
    }
    return known.join();
  }

  /**
   * @return the session in use or, if that has ended, the next as soon as it is connected; fails if
   *     there is none by the deadline, or will never be one
   */
  CompletableFuture<Session> session(String lock, Deadline deadline) {
    CompletableFuture<Session> known = usable;
    if (isConnected(known)) {
      return known;
    }
    CompletableFuture<Session> answer =
        known.handle(
            (next, failure) -> {
              if (failure != null) {
                throw noSession(lock);
              }
              return next;
            });
    Registration timer = deadline.schedule(() -> answer.completeExceptionally(noSession(lock)));
    answer.whenComplete((next, failure) -> timer.close());
    return answer;
  }

  private static boolean isConnected(CompletableFuture<Session> session) {
    return session.isDone() && !session.isCompletedExceptionally();
  }

  private StoreException noSession(String lock) {
    return new StoreException(
        lock,
        source.renews() || !session.isEnded()
            ? "No connection to " + source
            : "The session of " + source + " is over: open a new store on another client");
  }

  /** {@return the latest session, which may have ended or lost its connection} */
  Session latest(String lock) {
    if (closed) {
      throw new StoreException(lock, "The store at " + source + " is closed");
    }
    return session;
  }

  /**
   * @return claims that left before their join was answered: a late join of one stores nothing.
   *     They outlive a session, because the join may wait for the next one
   */
  ExpiringMap<ClaimKey, Boolean> tombstones() {
    return tombstones;
  }

  boolean isClosed() {
    return closed;
  }

  /** Creates the nodes that all locks share. */
  CompletableFuture<?> makeRoot() {
    return CompletableFuture.allOf( // sent in this order
        make(NodePaths.ROOT), make(NodePaths.LOCKS), make(NodePaths.CLIENTS));
  }

  /**
   * Creates a persistent node unless it exists. An account may use a node that it may not create.
   */
  CompletableFuture<Boolean> make(String path) {
    AsyncZooKeeper zk = session.zk;
    CompletableFuture<Boolean> made =
        zk.create(path, CreateMode.PERSISTENT).thenApply(stat -> true);
    CompletableFuture<Boolean> there = AsyncZooKeeper.unless(made, Code.NODEEXISTS, true);
    return AsyncZooKeeper.or(
        there,
        Code.NOAUTH,
        () -> AsyncZooKeeper.or(zk.stat(path).thenApply(stat -> true), Code.NONODE, () -> there));
  }

  /** {@return what to report: requests without an answer may have taken effect} */
  StoreException noAnswer(String verb, String lock, Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause instanceof StoreException known
        ? known
        : failures.noAnswer(verb, lock, Failures.reason(cause), cause);
  }

  void close() {
    closed = true;
    nextAudit.close();
    session.close();
    refuse();
  }

  /** Fails all operations from now on, and those that wait for a session. */
  private void refuse() {
    CompletableFuture<Session> before = usable;
    usable = CompletableFuture.failedFuture(new StoreException("", "no session follows"));
    before.cancel(false);
  }

  @Override
  public String toString() {
    return source.toString();
  }

  private void sessionEnded(Duration pause) {
    if (closed) {
      return;
    }
    LOG.log(System.Logger.Level.WARNING, "The session with {0} has ended", source);
    if (!source.renews()) {
      refuse();
      return;
    }
    if (usable.isDone()) {
      usable = new CompletableFuture<>();
    }
    ticker.schedule(pause, this::redial);
  }

  private void redial() {
    if (closed) {
      return;
    }
    try {
      session = dial();
    } catch (StoreException e) {
      ticker.schedule(Session.RETRY_PAUSE, this::redial);
      return;
    }
    if (closed) {
      session.close();
    }
  }

  private void auditLater() {
    Duration every = session.timeout().isZero() ? Session.RETRY_PAUSE : session.timeout();
    nextAudit =
        ticker.schedule(
            every,
            () -> {
              if (!closed) {
                if (isConnected(usable)) {
                  session.audit();
                }
                auditLater();
              }
            });
  }
}
