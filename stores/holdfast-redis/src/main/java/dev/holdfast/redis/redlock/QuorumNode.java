package dev.holdfast.redis.redlock;

import dev.holdfast.Finding;
import dev.holdfast.StoreException;
import dev.holdfast.redis.client.ClientFactory;
import dev.holdfast.redis.client.ConnectionSource;
import dev.holdfast.redis.client.RedisAddress;
import dev.holdfast.redis.client.Requests;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
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
 * One server of a quorum. It may be down when the store is opened: then a connection is tried again
 * and again, and until there is one every request fails at once. Thread-safe.
 */
final class QuorumNode implements ScriptRunner {

  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final String NO_CONNECTION = "No connection to ";

  private final String url;
  private final ConnectionSource source;
  private final Ticker ticker;
  private final Duration timeout;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<StoreConnection> connection;
  private long tried;
  private boolean closed;

  private QuorumNode(String url, ConnectionSource source, Ticker ticker, Duration timeout) {
    this.url = url;
    this.source = source;
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /** {@return the nodes of a URL, not connected yet} */
  static List<QuorumNode> all(RedisAddress address, StoreSettings settings, Duration timeout) {
    List<QuorumNode> nodes = new ArrayList<>();
    try {
      for (RedisAddress one : address.each()) {
        ConnectionSource source = new ClientFactory(one, settings.operationTimeout()).open();
        nodes.add(new QuorumNode(one.text(), source, settings.ticker(), timeout));
      }
      return nodes;
    } catch (RuntimeException e) {
      nodes.forEach(QuorumNode::close);
      throw e;
    }
  }

  String url() {
    return url;
  }

  Finding encryption() {
    return source.encryption();
  }

  /** {@return the connection, or the attempt to make it} */
  CompletableFuture<StoreConnection> connect() {
    mutex.lock();
    try {
      CompletableFuture<StoreConnection> last = connection;
      long now = ticker.nanoTime();
      boolean again =
          last == null || (last.isCompletedExceptionally() && now - tried >= PAUSE.toNanos());
      if (!again || closed) {
        return last == null ? unconnected() : last;
      }
      tried = now;
      CompletableFuture<StoreConnection> next =
          source
              .connect(new Requests(url, ticker, timeout))
              .toCompletableFuture()
              .exceptionallyCompose(
                  failure ->
                      CompletableFuture.failedFuture(
                          new StoreException(
                              "",
                              NO_CONNECTION + url + ": " + ConnectionSource.reason(failure),
                              failure)));
      connection = next;
      return next;
    } finally {
      mutex.unlock();
    }
  }

  // Nothing waits for a connection: a request that was sent late could not be distinguished from
  // one that was given up.
  @Override
  public CompletableFuture<List<Reply>> run(
      Script script, String lock, List<String> keys, List<String> arguments, Deadline deadline) {
    CompletableFuture<StoreConnection> known = connect();
    return known.isDone()
        ? known.thenCompose(made -> made.run(script, lock, keys, arguments, deadline))
        : unconnected();
  }

  @Override
  public CompletableFuture<Void> close() {
    mutex.lock();
    try {
      closed = true;
    } finally {
      mutex.unlock();
    }
    source.close(); // which closes its connections
    return CompletableFuture.completedFuture(null);
  }

  private <T> CompletableFuture<T> unconnected() {
    return CompletableFuture.failedFuture(new StoreException("", NO_CONNECTION + url));
  }
}
