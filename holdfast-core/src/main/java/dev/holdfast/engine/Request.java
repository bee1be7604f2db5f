package dev.holdfast.engine;

import dev.holdfast.Registration;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A wish of one caller for a lock. It is decided exactly once: granted, busy or failed; always
 * outside the lock of its {@link LocalQueue}.
 */
abstract class Request {

  /** Does not wait at all. */
  static final Duration NO_WAIT = Duration.ZERO;

  final String name;
  final LockSpec spec;
  final @Nullable Duration wait;
  final String threadName;
  private final @Nullable WaitEvent event = Recorder.isOn() ? WaitEvent.start() : null;

  // Mutable state, guarded by the queue's lock but for the timer
  long since;
  int overtaken;
  boolean expired;
  boolean signalled;
  private volatile @Nullable Registration timer;

  /**
   * A request made now.
   *
   * @param wait how long to wait; null for ever
   */
  Request(String name, LockSpec spec, @Nullable Duration wait) {
    this.name = name;
    this.spec = spec;
    this.wait = wait;
    this.threadName = Thread.currentThread().getName();
  }

  /** Limits its wait. */
  final void timed(Registration limit) {
    timer = limit;
  }

  final void stopTimer() {
    Registration limit = timer;
    if (limit != null) {
      limit.close();
    }
  }

  final boolean waits() {
    return !expired && (wait == null || !wait.isZero());
  }

  final void granted(Hold hold) {
    end("granted");
    decideGranted(hold);
  }

  final void busy() {
    end("busy");
    decideBusy();
  }

  final void failed(RuntimeException cause) {
    end("failed");
    decideFailed(cause);
  }

  /** Nobody waits for it any more. */
  final void gaveUp() {
    end("gave up");
  }

  private void end(String outcome) {
    if (event != null) {
      event.end(name, outcome);
    }
  }

  /** The thread that may enter again, or null if none may. */
  abstract @Nullable Thread reentrantThread();

  /** Whether {@link #signal} makes it come back by itself; otherwise it must be given the lock. */
  abstract boolean comesBack();

  /** Tells it that a try may succeed now. */
  abstract void signal();

  abstract void decideGranted(Hold hold);

  abstract void decideBusy();

  abstract void decideFailed(RuntimeException cause);
}
