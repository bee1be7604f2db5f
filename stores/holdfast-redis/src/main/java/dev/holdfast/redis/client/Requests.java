package dev.holdfast.redis.client;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * Lettuce sends a command again when its connection broke before the answer and has come back. That
 * is welcome for what may run twice, until the deadline: then the command is cancelled, and a
 * cancelled command is never sent again. What must not run twice is cancelled as soon as the
 * connection breaks.
 */

/** Commands under way on one connection, each with a deadline. Thread-safe. */
public final class Requests {

  private static final Duration PAUSE = Duration.ofMillis(2);

  private final Failures failures;
  private final Ticker ticker;
  private final Duration timeout;
  private final Set<Request<?>> unrepeatable = ConcurrentHashMap.newKeySet();
  private final AtomicLong breaks = new AtomicLong();

  // Mutable state
  private volatile long lastAnswer;
  private volatile Runnable onSilence = () -> {};

  /**
   * @param timeout for commands that come without a deadline
   */
  public Requests(String url, Ticker ticker, Duration timeout) {
    this.failures = new Failures(url);
    this.ticker = ticker;
    this.timeout = timeout;
    this.lastAnswer = ticker.nanoTime();
  }

  /**
   * Sends a command. Fails with {@link StoreException} if there is no answer, or a refusal.
   *
   * @param operation as messages name it: "renewal"
   * @param lock the lock's name for messages, or empty
   * @param repeatable whether it may be sent again when the connection breaks
   * @param ifUnknown what to send instead if the server does not know the script
   */
  public <T> CompletableFuture<T> send(
      String operation,
      String lock,
      boolean repeatable,
      Deadline deadline,
      Supplier<RedisFuture<T>> command,
      @Nullable Supplier<RedisFuture<T>> ifUnknown) {
    Request<T> request = new Request<>(operation, lock);
    if (!repeatable) {
      unrepeatable.add(request);
    }
    long start = ticker.nanoTime();
    Registration timer = deadline.schedule(() -> request.expire(start));
    var unused =
        request.result.whenComplete(
            (answer, failure) -> {
              timer.close();
              unrepeatable.remove(request);
            });
    request.attempt(command, ifUnknown);
    return request.result;
  }

  /** Sends a command that may be repeated and is no script, with the time-out as its deadline. */
  public <T> CompletableFuture<T> send(String operation, Supplier<RedisFuture<T>> command) {
    return send(operation, "", true, timeout(), command, null);
  }

  /**
   * Sends the first command of a connection, which Lettuce may hand out a moment before it takes
   * commands.
   */
  public <T> CompletableFuture<T> sendFirst(
      Supplier<CompletableFuture<T>> command, Deadline deadline) {
    return command
        .get()
        .exceptionallyCompose(
            failure ->
                isRefusedByLettuce(failure) && !deadline.isOver()
                    ? ticker.after(PAUSE).thenCompose(over -> sendFirst(command, deadline))
                    : CompletableFuture.failedFuture(failure));
  }

  // What the server or the network refuses has other classes.
  private static boolean isRefusedByLettuce(Throwable failure) {
    Throwable cause = Failures.unwrap(failure).getCause();
    return cause != null && cause.getClass() == RedisException.class;
  }

  /** {@return the deadline of commands that come without one} */
  public Deadline timeout() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * @param action what to do when the server has answered nothing at all while a command waited in
   *     vain, at least for the time-out
   */
  void onSilence(Runnable action) {
    onSilence = action;
  }

  /** {@return how often the connection has broken} */
  public long breaks() {
    return breaks.get();
  }

  /** Reports when the connection breaks, before Lettuce connects again. */
  RedisConnectionStateListener listener() {
    return new RedisConnectionStateListener() {
      @Override
      public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
        breaks.incrementAndGet();
        unrepeatable.forEach(request -> request.fail(request.noAnswer("the connection broke")));
      }
    };
  }

  private final class Request<T> {
    private final String operation;
    private final String lock;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    // Mutable state
    private volatile @Nullable Future<T> sent;

    Request(String operation, String lock) {
      this.operation = operation;
      this.lock = lock;
    }

    private void attempt(
        Supplier<RedisFuture<T>> command, @Nullable Supplier<RedisFuture<T>> ifUnknown) {
      RedisFuture<T> future;
      try {
        future = command.get();
      } catch (RuntimeException e) {
        fail(translated(e));
        return;
      }
      sent = future;
      if (result.isDone()) {
        future.cancel(true); // the deadline came in between
        return;
      }
      var unused =
          future.whenComplete(
              (answer, failure) -> {
                if (failure == null || failure instanceof RedisCommandExecutionException) {
                  lastAnswer = ticker.nanoTime();
                }
                if (failure == null) {
                  result.complete(answer);
                } else if (failure instanceof RedisNoScriptException && ifUnknown != null) {
                  attempt(ifUnknown, null);
                } else {
                  fail(translated(failure));
                }
              });
    }

    private void expire(long start) {
      boolean silent = isSilentSince(start);
      Duration waited = Duration.ofNanos(ticker.nanoTime() - start);
      fail(noAnswer("none within " + waited.toMillis() + " ms"));
      if (silent && waited.compareTo(timeout) >= 0) {
        onSilence.run();
      } else if (silent) {
        // A deadline of a few milliseconds says little about the connection.
        var unused = ticker.schedule(timeout.minus(waited), () -> checkSilence(start));
      }
    }

    private void checkSilence(long start) {
      if (isSilentSince(start)) {
        onSilence.run();
      }
    }

    private boolean isSilentSince(long start) {
      return lastAnswer - start < 0;
    }

    void fail(Throwable failure) {
      result.completeExceptionally(failure);
      Future<T> command = sent;
      if (command != null) {
        command.cancel(true);
      }
    }

    StoreException noAnswer(String why) {
      return failures.noAnswer(operation, lock, why, null);
    }

    private StoreException translated(Throwable failure) {
      Throwable cause = Failures.unwrap(failure);
      String why = String.valueOf(cause.getMessage());
      return cause instanceof RedisCommandExecutionException
          ? failures.refused(operation, lock, why, cause)
          : failures.noAnswer(operation, lock, why, cause);
    }
  }
}
