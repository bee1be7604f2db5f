package dev.holdfast.zookeeper;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The session in use, and the next one when it has expired.
 *
 * <p><b>Threads.</b> Safe for any.
 */
final class Link {

  private static final System.Logger LOG = System.getLogger(Link.class.getName());
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final ZooKeeperAddress address;
  private final Observers observers;
  private final Ticker ticker;

  // Mutable state
  private volatile Session session;
  private volatile boolean closed;
  private volatile Registration nextAudit = Registration.NONE;

  private Link(ZooKeeperAddress address, Observers observers, Ticker ticker) throws IOException {
    this.address = address;
    this.observers = observers;
    this.ticker = ticker;
    this.session = new Session(address, ticker, observers, this::renewSession);
  }

  /** Connects, waiting no longer than the operation time-out. */
  static Link open(ZooKeeperAddress address, Observers observers, StoreSettings settings) {
    Link link;
    try {
      link = new Link(address, observers, settings.ticker());
    } catch (IOException e) {
      throw new StoreException("", "Cannot open a session with " + address, e);
    }
    try {
      link.session
          .connected()
          .thenCompose(yes -> link.makeRoot())
          .thenCompose(made -> link.session.renew())
          .get(settings.operationTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      link.close();
      throw new StoreException(
          "", "No answer from " + address + " within " + settings.operationTimeout(), e);
    } catch (ExecutionException e) {
      link.close();
      throw link.refusal(Zk.cause(e.getCause() == null ? e : e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      link.close();
      throw new StoreException("", "Interrupted while connecting to " + address, e);
    }
    link.auditLater();
    return link;
  }

  /**
   * The session in use.
   *
   * @throws StoreException if there is none because the last has expired and no server was reached
   */
  Session session(String lock) {
    Session now = session;
    if (!now.isOpen()) {
      throw new StoreException(lock, "No connection to " + address + " at present");
    }
    return now;
  }

  /** Makes the nodes that all locks share. */
  CompletableFuture<?> makeRoot() {
    CompletableFuture<?> made = make(Names.ROOT);
    make(Names.LOCKS);
    return made.thenCombine(make(Names.CLIENTS), (root, clients) -> root);
  }

  /** Makes a node that stays, unless it is there. */
  CompletableFuture<String> make(String path) {
    return Zk.or(
        session.zk().create(path, new byte[0], CreateMode.PERSISTENT).thenApply(Zk.Made::path),
        Code.NODEEXISTS,
        () -> CompletableFuture.completedFuture(path));
  }

  StoreException unknown(String verb, String lock, Throwable failure) {
    Throwable cause = Zk.cause(failure);
    return cause instanceof StoreException known
        ? known
        : new StoreException(
            lock,
            "No answer from "
                + address
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
  }

  @Override
  public String toString() {
    return address.toString();
  }

  private StoreException refusal(Throwable cause) {
    if (Zk.is(cause, Code.NONODE)) {
      return new StoreException(
          "",
          address
              + ": the chroot does not exist; make it with zkCli (create "
              + address.chroot()
              + "), or leave it out of the URL",
          cause);
    }
    if (Zk.is(cause, Code.NOAUTH)) {
      return new StoreException(
          "", address + ": this account may not read and write " + Names.ROOT, cause);
    }
    return new StoreException("", "Cannot use " + address + ": " + cause.getMessage(), cause);
  }

  private void renewSession() {
    if (closed) {
      return;
    }
    LOG.log(System.Logger.Level.WARNING, "The session with " + address + " has expired");
    Session expired = session;
    try {
      Session next = new Session(address, ticker, observers, this::renewSession);
      next.places().inherit(expired.places());
      session = next;
      if (closed) {
        next.close();
      }
    } catch (IOException e) {
      ticker.schedule(AGAIN, this::renewSession);
    }
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
