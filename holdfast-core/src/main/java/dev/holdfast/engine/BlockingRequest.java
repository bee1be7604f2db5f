package dev.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A request whose thread parks until it is decided. */
final class BlockingRequest extends Request {

  private static final Object BUSY = new Object();

  private final Thread thread = Thread.currentThread();

  // Mutable state
  private volatile @Nullable Object outcome;
  private volatile boolean mayTry;
  private volatile @Nullable RuntimeException abandoned;

  BlockingRequest(String name, LockSpec spec, @Nullable Duration wait) {
    super(name, spec, wait);
  }

  @Override
  @Nullable Thread reentrantThread() {
    return spec.reentrant ? thread : null;
  }

  @Override
  boolean comesBack() {
    return true;
  }

  @Override
  void signal() {
    mayTry = true;
    LockSupport.unpark(thread);
  }

  @Override
  void decideGranted(Hold hold) {
    complete(hold);
  }

  @Override
  void decideBusy() {
    complete(BUSY);
  }

  @Override
  void decideFailed(RuntimeException cause) {
    complete(cause);
  }

  private void complete(Object result) {
    outcome = result;
    if (Thread.currentThread() != thread) {
      LockSupport.unpark(thread);
    }
  }

  /** What it is wanted for has failed meanwhile: it does not wait any longer. */
  void abandon(RuntimeException cause) {
    abandoned = cause;
    LockSupport.unpark(thread);
  }

  boolean isDecided() {
    return outcome != null;
  }

  /**
   * Waits for the decision.
   *
   * @return the hold, or null when busy
   */
  @Nullable Hold await(LocalQueue queue, boolean interruptibly) throws InterruptedException {
    boolean interrupted = false;
    try {
      while (outcome == null) {
        if (mayTry) {
          mayTry = false;
          queue.retry(this);
        } else if (Thread.interrupted()) {
          if (interruptibly && queue.giveUp(this)) {
            throw new InterruptedException("interrupted while waiting for '" + queue.name + "'");
          }
          interrupted = true; // decided already, or not to be interrupted: the flag is kept
        } else if (abandoned != null) {
          giveUpAbandoned(queue);
        } else {
          LockSupport.park(this);
        }
      }
    } finally {
      stopTimer();
      if (interrupted) {
        thread.interrupt();
      }
    }
    return result();
  }

  private void giveUpAbandoned(LocalQueue queue) {
    RuntimeException cause = abandoned;
    abandoned = null;
    if (cause != null && queue.giveUp(this)) {
      throw here(cause);
    }
  }

  private @Nullable Hold result() {
    Object decided = outcome;
    if (decided instanceof Hold hold) {
      return hold;
    }
    if (decided instanceof RuntimeException cause) {
      throw here(cause);
    }
    return null;
  }

  // Thrown in the waiting thread: its own stack is what the reader looks for.
  private static RuntimeException here(RuntimeException cause) {
    cause.addSuppressed(new WaitedHere());
    return cause;
  }

  /** Shows where the waiting thread stood when the failure came from another one. */
  private static final class WaitedHere extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WaitedHere() {
      super("the caller waited here");
    }
  }
}
