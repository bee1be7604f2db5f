package dev.holdfast.redis;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * Lettuce sends a command again when its connection broke before the answer and has come back. That
 * is welcome for what may run twice, as long as somebody waits for it: at the deadline the command
 * is cancelled, and a cancelled command is never sent again. What must not run twice is cancelled
 * as soon as the connection breaks.
 */

/** Commands under way: each with a deadline, none sent again after it. Any threads. */
final class Calls {

  private final String url;
  private final Ticker ticker;
  private final Duration timeout;
  private final Set<Call<?>> unrepeatable = ConcurrentHashMap.newKeySet();

  private final AtomicLong breaks = new AtomicLong();

  // Mutable state
  private volatile long lastAnswer;
  private volatile Runnable onSilence = () -> {};

  Calls(String url, Ticker ticker, Duration timeout) {
    this.url = url;
    this.ticker = ticker;
    this.timeout = timeout;
    this.lastAnswer = ticker.nanoTime();
  }

  /**
   * Sends a command. Fails with {@link StoreException} when no answer comes, or a refusal.
   *
   * @param what as messages call it: "renewal"
   * @param lock that it is about, or empty
   * @param repeatable whether it may be sent again when the connection breaks
   * @param deadline until when to wait for the answer
   * @param unknown what to send, once, if the server does not know the script
   */
  <T> CompletableFuture<T> send(
      String what,
      String lock,
      boolean repeatable,
      Deadline deadline,
      Supplier<RedisFuture<T>> command,
      Supplier<RedisFuture<T>> unknown) {
    Call<T> call = new Call<>(what, lock);
    if (!repeatable) {
      unrepeatable.add(call);
    }
    call.start(deadline, command, unknown);
    return call.result;
  }

  /** As {@link #send} for a repeatable command that is no script, within the operation time-out. */
  <T> CompletableFuture<T> send(String what, String lock, Supplier<RedisFuture<T>> command) {
    return send(what, lock, true, timeout(), command, command);
  }

  /** For commands that have no deadline of the engine's: the operation time-out from now. */
  Deadline timeout() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * What to do when the server answered nothing at all while a command waited in vain, for the
   * operation time-out at least.
   */
  void onSilence(Runnable action) {
    onSilence = action;
  }

  /** How often a connection has broken. */
  long breaks() {
    return breaks.get();
  }

  /** The connection has broken: nobody knows what became of these. */
  void disconnected() {
    breaks.incrementAndGet();
    for (Call<?> call : unrepeatable) {
      call.fail(new StoreException(call.lock, call.noAnswer("the connection broke")));
    }
  }

  private final class Call<T> {
    private final String what;
    private final String lock;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    // Mutable state
    private volatile @Nullable Future<T> sent;

    Call(String what, String lock) {
      this.what = what;
      this.lock = lock;
    }

    void start(
        Deadline deadline, Supplier<RedisFuture<T>> command, Supplier<RedisFuture<T>> unknown) {
      long start = ticker.nanoTime();
      Registration timer = ticker.schedule(deadline.remaining(), () -> expire(start));
      var unused =
          result.whenComplete(
              (answer, failure) -> {
                timer.close();
                unrepeatable.remove(this);
              });
      attempt(command, unknown);
    }

    private void expire(long start) {
      boolean silent = isSilentSince(start);
      Duration waited = Duration.ofNanos(ticker.nanoTime() - start);
      fail(new StoreException(lock, noAnswer("none within " + waited.toMillis() + " ms")));
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

    private void attempt(
        Supplier<RedisFuture<T>> command, @Nullable Supplier<RedisFuture<T>> next) {
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
                } else if (failure instanceof RedisNoScriptException && next != null) {
                  attempt(next, null);
                } else {
                  fail(translated(failure));
                }
              });
    }

    void fail(Throwable failure) {
      result.completeExceptionally(failure);
      Future<T> command = sent;
      if (command != null) {
        command.cancel(true);
      }
    }

    private StoreException translated(Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
      if (cause instanceof RedisCommandExecutionException) {
        return new StoreException(
            lock, url + " refused the " + what + about() + ": " + cause.getMessage(), cause);
      }
      return new StoreException(lock, noAnswer(String.valueOf(cause.getMessage())), cause);
    }

    private String noAnswer(String why) {
      return "No answer from "
          + url
          + " to the "
          + what
          + about()
          + ": it may or may not have taken effect ("
          + why
          + ").";
    }

    private String about() {
      return lock.isEmpty() ? "" : " of '" + lock + "'";
    }
  }
}
