package dev.holdfast.redis;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One server of a quorum. It may be down when the store is opened: then a connection is tried now
 * and again, and until there is one every call fails at once. Any threads.
 */
final class RedlockNode implements ScriptRunner {

  private static final Duration REST = Duration.ofMillis(500);

  private final String url;
  private final Servers servers;
  private final Ticker ticker;
  private final Duration timeout;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<Link> connection;
  private long tried;
  private boolean closed;

  RedlockNode(String url, Servers servers, StoreSettings settings, Duration timeout) {
    this.url = url;
    this.servers = servers;
    this.ticker = settings.ticker();
    this.timeout = timeout;
  }

  /** The nodes of a URL; the first connections are under way. */
  static List<RedlockNode> all(RedisAddress address, StoreSettings settings, Duration timeout) {
    List<RedlockNode> nodes = new ArrayList<>();
    try {
      for (RedisAddress one : address.each()) {
        Servers servers = new Clients(one, settings.operationTimeout()).servers();
        nodes.add(new RedlockNode(one.text(), servers, settings, timeout));
      }
      return nodes;
    } catch (RuntimeException e) {
      nodes.forEach(RedlockNode::close);
      throw e;
    }
  }

  String url() {
    return url;
  }

  /** How its connections are protected. */
  Finding encryption() {
    return servers.encryption();
  }

  /** The connection, or the attempt to make it. */
  CompletableFuture<Link> connect() {
    mutex.lock();
    try {
      CompletableFuture<Link> last = connection;
      long now = ticker.nanoTime();
      boolean again =
          last == null || (last.isCompletedExceptionally() && now - tried >= REST.toNanos());
      if (!again || closed) {
        return last == null ? CompletableFuture.failedFuture(unreachable("", null)) : last;
      }
      tried = now;
      CompletableFuture<Link> next =
          servers.connect(new Calls(url, ticker, timeout)).toCompletableFuture();
      connection = next;
      return next;
    } finally {
      mutex.unlock();
    }
  }

  // Nothing waits for a connection: what was sent late could not be told from what was given up.
  @Override
  public CompletableFuture<List<Reply>> run(
      Script script,
      String what,
      String lock,
      List<String> keys,
      List<String> args,
      Deadline deadline) {
    CompletableFuture<Link> link = connect();
    if (link.isDone() && !link.isCompletedExceptionally()) {
      return link.join().run(script, what, lock, keys, args, deadline);
    }
    return CompletableFuture.failedFuture(unreachable(lock, failure(link)));
  }

  @Override
  public void close() {
    mutex.lock();
    try {
      closed = true;
    } finally {
      mutex.unlock();
    }
    servers.close();
  }

  private static @Nullable Throwable failure(CompletableFuture<Link> link) {
    return link.isCompletedExceptionally()
        ? link.handle((done, failure) -> failure).getNow(null)
        : null;
  }

  private StoreException unreachable(String lock, @Nullable Throwable cause) {
    String message = "No connection to " + url;
    return cause == null
        ? new StoreException(lock, message)
        : new StoreException(lock, message + ": " + Opening.reason(cause), cause);
  }
}
