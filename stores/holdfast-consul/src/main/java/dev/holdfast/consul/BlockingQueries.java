package dev.holdfast.consul;

import dev.holdfast.Registration;
import dev.holdfast.consul.HttpTransport.Answer;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.RequestLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Blocking queries by name. Each is sent again and again, and answered when something has changed,
 * or after a while without a change. Each needs its own connection; beyond a limit they take turns.
 * Thread-safe.
 */
final class BlockingQueries {

  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final HttpTransport transport;
  private final Ticker ticker;
  private final RequestLimiter limiter;
  private final ConcurrentHashMap<Object, Query> active = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  BlockingQueries(HttpTransport transport, Ticker ticker, int limit) {
    this.transport = transport;
    this.ticker = ticker;
    this.limiter = new RequestLimiter(limit);
  }

  /**
   * Starts a query and ends any other one of this name; if that one has the same path, keeps it
   * instead.
   *
   * @param path with parameters
   * @param index changes after this index count; 0: the first answer comes at once
   * @param isLast whether an answer with status 200 or 404 was what the query waited for
   * @param interrupted the agent did not answer: a change may have been missed
   */
  void start(Object name, String path, long index, Predicate<Answer> isLast, Runnable interrupted) {
    Query before = active.get(name);
    if (before != null && before.path.equals(path)) {
      return;
    }
    end(name);
    Query fresh = new Query(name, path, index, isLast, interrupted);
    if (active.putIfAbsent(name, fresh) == null) {
      limiter.run(fresh::send);
    }
    if (closed) {
      end(name);
    }
  }

  /**
   * @return how many queries are active, sent or not
   */
  int size() {
    return active.size();
  }

  void end(Object name) {
    Query query = active.remove(name);
    if (query != null) {
      query.end();
    }
  }

  void close() {
    closed = true;
    active.keySet().forEach(this::end);
  }

  private final class Query {
    private final Object name;
    private final String path;
    private final Predicate<Answer> isLast;
    private final Runnable interrupted;

    // Mutable state: one request at a time
    private volatile long index;
    private volatile boolean ended;
    private volatile Registration timer = Registration.NONE;
    private volatile @Nullable CompletableFuture<Answer> request;

    Query(Object name, String path, long index, Predicate<Answer> isLast, Runnable interrupted) {
      this.name = name;
      this.path = path;
      this.index = index;
      this.isLast = isLast;
      this.interrupted = interrupted;
    }

    void end() {
      ended = true;
      timer.close();
      CompletableFuture<Answer> sent = request;
      if (sent != null) {
        sent.cancel(true);
      }
    }

    private CompletableFuture<?> send() {
      if (ended) {
        return CompletableFuture.completedFuture(null);
      }
      String wait = "&index=" + index + "&wait=" + WAIT.toSeconds() + "s";
      CompletableFuture<Answer> sent =
          transport.send(transport.current(), "GET", path + wait, "", WAIT.plus(WAIT).plus(GRACE));
      request = sent;
      if (ended) { // meanwhile
        sent.cancel(true);
      }
      var unused =
          sent.whenComplete((answer, failure) -> answered(failure == null ? answer : null));
      return sent;
    }

    private void answered(@Nullable Answer answer) {
      if (ended) {
        return;
      }
      try {
        if (answer == null || (answer.status() != 200 && answer.status() != 404)) {
          interrupted.run();
        } else {
          // An index that went back is of a restored snapshot: nothing can be compared with it.
          index = answer.index() < index ? 0 : answer.index();
          if (isLast.test(answer)) {
            ended = true;
            active.remove(name, this);
          } else if (index > 0) {
            limiter.run(this::send);
            return;
          }
        }
      } catch (RuntimeException unreadable) {
        interrupted.run();
      }
      // A query without an index is answered at once: without a pause it would never rest.
      if (!ended) {
        timer = ticker.schedule(PAUSE, () -> limiter.run(this::send));
      }
    }
  }
}
