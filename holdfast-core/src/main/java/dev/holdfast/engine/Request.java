package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A wish of one caller for a lock. It is completed exactly once: with a hold, as busy, or with a
 * failure; always outside the lock of its {@link LocalQueue}.
 */
abstract class Request {

  /** Does not wait at all. */
  static final Duration NO_WAIT = Duration.ZERO;

  final LockSpec spec;
  final @Nullable Duration wait;
  final long since;
  final String threadName;
  final @Nullable WaitEvent event = WaitEvent.start();

  // Mutable state, guarded by the queue's lock
  int overtaken;
  boolean signalled;
  volatile Registration timer = Registration.NONE;

  /**
   * A request made now.
   *
   * @param wait how long to wait; null for ever
   */
  Request(LockSpec spec, @Nullable Duration wait, Ticker ticker) {
    this.spec = spec;
    this.wait = wait;
    this.since = ticker.nanoTime();
    this.threadName = Thread.currentThread().getName();
  }

  final boolean waits() {
    return wait == null || !wait.isZero();
  }

  /** The thread that may enter again, or null if none may. */
  abstract @Nullable Thread reentrantThread();

  /** Whether {@link #signal} makes it come back by itself; otherwise it must be given the lock. */
  abstract boolean comesBack();

  /** Tells it that a try may succeed now. */
  abstract void signal();

  abstract void granted(Hold hold);

  abstract void busy();

  abstract void failed(RuntimeException cause);
}
