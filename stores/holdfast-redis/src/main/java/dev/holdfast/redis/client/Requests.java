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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
  private final DeadlineWatch<Request<?>> underWay;
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
    this.underWay = new DeadlineWatch<>(ticker, Request::expire);
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
    Request<T> request = new Request<>(operation, lock, repeatable, ticker.nanoTime());
    underWay.add(request, deadline);
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
        underWay.forEach(
            request -> {
              if (!request.repeatable) {
                request.fail(request.noAnswer("the connection broke"));
              }
            });
      }
    };
  }

  private final class Request<T> {
    private final String operation;
    private final String lock;
    private final boolean repeatable;
    private final long start;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    // Mutable state
    private volatile @Nullable Future<T> sent;

    Request(String operation, String lock, boolean repeatable, long start) {
      this.operation = operation;
      this.lock = lock;
      this.repeatable = repeatable;
      this.start = start;
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
                  underWay.remove(this);
                  result.complete(answer);
                } else if (failure instanceof RedisNoScriptException && ifUnknown != null) {
                  attempt(ifUnknown, null);
                } else {
                  fail(translated(failure));
                }
              });
    }

    private void expire() {
      boolean silent = isSilent();
      Duration waited = Duration.ofNanos(ticker.nanoTime() - start);
      fail(noAnswer("none within " + waited.toMillis() + " ms"));
      if (silent && waited.compareTo(timeout) >= 0) {
        onSilence.run();
      } else if (silent) {
        // A deadline of a few milliseconds says little about the connection.
        var unused = ticker.schedule(timeout.minus(waited), this::checkSilence);
      }
    }

    private void checkSilence() {
      if (isSilent()) {
        onSilence.run();
      }
    }

    private boolean isSilent() {
      return lastAnswer - start < 0;
    }

    void fail(Throwable failure) {
      underWay.remove(this);
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

  // ---------------------------------------------------------------- deadlines

  /**
   * Ends requests at their deadlines, with one task of the ticker for all of them: nearly every
   * request is answered long before. The task is a look at the earliest deadline there was when it
   * was planned. A later one finds it planned; one that was answered leaves it planned.
   *
   * @param <R> compared by identity
   */
  static final class DeadlineWatch<R> {

    private static final long UNPLANNED = Long.MAX_VALUE;

    private final Ticker ticker;
    private final Consumer<R> expired;
    private final ConcurrentMap<R, Deadline> requests = new ConcurrentHashMap<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private final long origin;

    // Mutable state, the plan guarded by mutex
    private volatile long plannedAt = UNPLANNED; // counted from origin
    private Registration plan = Registration.NONE;

    /**
     * @param expired gets a request whose deadline has passed, on the ticker's thread; removes it
     */
    DeadlineWatch(Ticker ticker, Consumer<R> expired) {
      this.ticker = ticker;
      this.expired = expired;
      this.origin = ticker.nanoTime();
    }

    void add(R request, Deadline deadline) {
      requests.put(request, deadline);
      long remaining = deadline.remainingNanos();
      if (ticker.nanoTime() - origin + remaining < plannedAt) {
        lookIn(remaining);
      }
    }

    void remove(R request) {
      requests.remove(request);
    }

    /** Those that are not removed yet. */
    void forEach(Consumer<R> action) {
      requests.keySet().forEach(action);
    }

    /** Plans a look no later than in this time. */
    private void lookIn(long remaining) {
      mutex.lock();
      try {
        long due = ticker.nanoTime() - origin + remaining;
        if (due < plannedAt) {
          plan.close();
          plannedAt = due;
          plan = ticker.schedule(Duration.ofNanos(Math.max(0, remaining)), this::look);
        }
      } finally {
        mutex.unlock();
      }
    }

    private void look() {
      mutex.lock();
      try {
        plannedAt = UNPLANNED; // what is added from now on plans for itself
      } finally {
        mutex.unlock();
      }
      try {
        requests.forEach(
            (request, deadline) -> {
              if (deadline.isOver()) {
                expired.accept(request);
              }
            });
      } finally {
        long next = UNPLANNED; // whatever went wrong, the next look comes
        for (Deadline deadline : requests.values()) {
          next = Math.min(next, deadline.remainingNanos());
        }
        if (next != UNPLANNED) {
          lookIn(next);
        }
      }
    }
  }
}
