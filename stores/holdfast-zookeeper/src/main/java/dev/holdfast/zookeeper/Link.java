package dev.holdfast.zookeeper;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The session in use, and the next one when it has ended.
 *
 * <p><b>Threads.</b> Safe for any.
 */
final class Link {

  private static final System.Logger LOG = System.getLogger(Link.class.getName());
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final Origin origin;
  private final Observers observers;
  private final Ticker ticker;
  private final Burials burials;

  // Mutable state
  private volatile Session session;
  private volatile boolean closed;
  private volatile Registration nextAudit = Registration.NONE;

  private Link(Origin origin, Observers observers, Ticker ticker) {
    this.origin = origin;
    this.observers = observers;
    this.ticker = ticker;
    this.burials = new Burials(ticker);
    this.session = dial();
  }

  private Session dial() {
    return new Session(origin, ticker, observers, this::renewSession);
  }

  /** Connects, waiting no longer than the operation time-out. */
  static Link open(Origin origin, Observers observers, StoreSettings settings) {
    Link link = new Link(origin, observers, settings.ticker());
    try {
      link.ready().get(settings.operationTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      link.close();
      throw new StoreException(
          "", "No answer from " + origin + " within " + settings.operationTimeout(), e);
    } catch (ExecutionException e) {
      link.close();
      throw origin.refusal(Zk.cause(e.getCause() == null ? e : e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      link.close();
      throw new StoreException("", "Interrupted while connecting to " + origin, e);
    }
    link.auditLater();
    return link;
  }

  /** Also over a connection that breaks meanwhile: the client makes another by itself. */
  private CompletableFuture<Boolean> ready() {
    CompletableFuture<Boolean> ready =
        session
            .connected()
            .thenCompose(yes -> makeRoot())
            .thenCompose(made -> session.renew())
            .thenCompose(renewed -> session.watchState());
    return Zk.or(ready, Code.CONNECTIONLOSS, () -> closed ? ready : readySoon());
  }

  private CompletableFuture<Boolean> readySoon() {
    CompletableFuture<Boolean> waited = new CompletableFuture<>();
    ticker.schedule(Session.SOON, () -> waited.complete(true));
    return waited.thenCompose(yes -> ready());
  }

  /**
   * The session in use.
   *
   * @throws StoreException if there is none because the last has ended and no server was reached
   */
  Session session(String lock) {
    Session now = session;
    if (!now.isOpen()) {
      throw noSession(lock, now);
    }
    return now;
  }

  /**
   * The session in use; where the last one has ended, the next, as soon as it is connected.
   *
   * @return fails if there is none by the deadline, or there will never be one
   */
  CompletableFuture<Session> session(String lock, Deadline deadline) {
    Session now = session;
    if (now.isOpen()) {
      return CompletableFuture.completedFuture(now);
    }
    if (closed || deadline.isOver() || isLast(now)) {
      return CompletableFuture.failedFuture(noSession(lock, now));
    }
    CompletableFuture<Boolean> changed = new CompletableFuture<>();
    Registration end =
        ticker.schedule(
            Duration.ofNanos(Math.max(0, deadline.remainingNanos())), () -> changed.complete(true));
    (now.isEnded() ? now.replaced() : now.connected())
        .whenComplete((next, failure) -> changed.complete(true));
    return changed.thenCompose(
        yes -> {
          end.close();
          return session(lock, deadline);
        });
  }

  /** Whether no other will follow, and this one is not going to be connected. */
  private boolean isLast(Session now) {
    return now.isEnded() ? !origin.renews() : now.connected().isCompletedExceptionally();
  }

  private StoreException noSession(String lock, Session now) {
    return new StoreException(
        lock,
        origin.renews() || !now.isEnded()
            ? "No connection to " + origin + " at present"
            : "The session of the client given for " + origin + " is over: open a new store");
  }

  /** The session whose claims are ours, also while no server is reached. */
  Session latest(String lock) {
    if (closed) {
      throw new StoreException(lock, "The store at " + origin + " is closed");
    }
    return session;
  }

  Burials burials() {
    return burials;
  }

  boolean isClosed() {
    return closed;
  }

  /** Makes the nodes that all locks share. */
  CompletableFuture<?> makeRoot() {
    CompletableFuture<?> made = make(Names.ROOT);
    return made.thenCombine(make(Names.LOCKS), (root, locks) -> root)
        .thenCombine(make(Names.CLIENTS), (root, clients) -> root);
  }

  /** Makes a node that stays, unless it is there; who may not make it may find it there. */
  CompletableFuture<Boolean> make(String path) {
    Zk zk = session.zk();
    CompletableFuture<Boolean> made =
        zk.create(path, new byte[0], CreateMode.PERSISTENT).thenApply(node -> true);
    CompletableFuture<Boolean> there =
        Zk.or(made, Code.NODEEXISTS, () -> CompletableFuture.completedFuture(true));
    return Zk.or(
        there,
        Code.NOAUTH,
        () -> Zk.or(zk.existing(path).thenApply(stat -> true), Code.NONODE, () -> there));
  }

  StoreException unknown(String verb, String lock, Throwable failure) {
    Throwable cause = Zk.cause(failure);
    return cause instanceof StoreException known
        ? known
        : new StoreException(
            lock,
            "No answer from "
                + origin
                + " to the "
                + verb
                + " of '"
                + lock
                + "': it may or may not have taken effect",
            cause);
  }

  void close() {
    closed = true;
    nextAudit.close();
    session.close();
    session.replaced().complete(false);
  }

  @Override
  public String toString() {
    return origin.toString();
  }

  private void renewSession() {
    if (closed) {
      return;
    }
    LOG.log(System.Logger.Level.WARNING, "The session with {0} has ended", origin);
    if (origin.renews()) {
      // Who was refused is refused again: not at once.
      ticker.schedule(session.isRefused() ? AGAIN : Duration.ZERO, this::redial);
    }
  }

  private void redial() {
    if (closed) {
      return;
    }
    Session next;
    try {
      next = dial();
    } catch (StoreException e) {
      ticker.schedule(AGAIN, this::redial);
      return;
    }
    Session last = session;
    session = next;
    if (closed) {
      next.close();
    }
    last.replaced().complete(true);
  }

  private void auditLater() {
    Duration every = session.timeout().isZero() ? AGAIN : session.timeout();
    nextAudit =
        ticker.schedule(
            every,
            () -> {
              if (!closed) {
                if (session.isOpen()) {
                  session.audit();
                }
                auditLater();
              }
            });
  }
}
