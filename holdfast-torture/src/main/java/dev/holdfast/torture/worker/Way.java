package dev.holdfast.torture.worker;

import dev.holdfast.Lease;
import dev.holdfast.testkit.promise.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How a thread asks for a lock. */
enum Way {
  /** Without a limit. */
  UNLIMITED(true) {
    @Override
    Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      return lock.acquire();
    }
  },
  /** With a limit, past which it throws. */
  TIMED(false) {
    @Override
    Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      return lock.acquire(wait);
    }
  },
  /** Once. */
  TRY(false) {
    @Override
    Request request(Request request, Duration wait) {
      return request.waiting(Duration.ZERO);
    }

    @Override
    @Nullable Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      return lock.tryAcquire();
    }
  },
  /** With a limit, past which it gets null. */
  TIMED_TRY(false) {
    @Override
    @Nullable Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      return lock.tryAcquire(wait);
    }
  },
  /** By a future, with a limit. */
  FUTURE(false) {
    @Override
    @Nullable Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      return lock.tryAcquireAsync(wait).get();
    }
  },
  /** By a future that is cancelled after a while. */
  CANCELLED(true) {
    @Override
    Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      CompletableFuture<Lease> future = lock.acquireAsync();
      ScheduledFuture<?> cancel = scene.later(wait, () -> future.cancel(true));
      try {
        return future.get();
      } finally {
        cancel.cancel(false);
      }
    }
  },
  /** By a thread that is interrupted after a while. */
  INTERRUPTED(true) {
    @Override
    Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception {
      Thread thread = Thread.currentThread();
      ScheduledFuture<?> interrupt = scene.later(wait, thread::interrupt);
      try {
        return lock.acquire();
      } finally {
        if (!interrupt.cancel(false)) {
          settle(interrupt);
        }
      }
    }
  };

  private final boolean unlimited;

  Way(boolean unlimited) {
    this.unlimited = unlimited;
  }

  /** What that means for the history. */
  Request request(Request request, Duration wait) {
    return unlimited ? request : request.waiting(wait);
  }

  /**
   * Asks.
   *
   * @return null if another client has it
   */
  abstract @Nullable Lease ask(Lockable lock, Duration wait, Scene scene) throws Exception;

  /** An interrupt that is on its way must not hit what comes next. */
  private static void settle(ScheduledFuture<?> interrupt) {
    boolean settled = false;
    while (!settled) {
      try {
        interrupt.get(1, TimeUnit.SECONDS);
        settled = true;
      } catch (InterruptedException here) {
        // That is what it is for; the flag is clear now.
      } catch (Exception done) {
        settled = interrupt.isDone();
      }
    }
    Thread.interrupted();
  }
}
