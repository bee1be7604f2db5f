package dev.holdfast.engine.state;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A wish of one caller for a lock, decided exactly once: a {@link Hold}, {@link #BUSY} or an
 * exception. This one belongs to a thread that parks until then.
 *
 * <p>The fields are guarded by the lock's mutex, but for the volatile ones.
 */
public class Request {

  /** For {@link #waitNanos}: without limit. */
  public static final long FOR_EVER = Long.MAX_VALUE;

  /** An outcome: somebody else has the lock. */
  public static final Object BUSY = new Object();

  public final String name;
  public final LockSpec spec;

  /** How long to wait: zero not at all. */
  public final long waitNanos;

  /** The requesting thread, for messages. */
  public final String threadName;

  /** The thread that parks for it; null if a future is completed. */
  public final @Nullable Thread thread;

  /** When it came. */
  public long since;

  // Mutable state
  boolean waits; // stands in a queue while the lock is busy; not a try, not one past its limit
  int overtaken;
  boolean signalled;
  public @Nullable Boolean taken; // by a shell that was not retired
  boolean confirmed; // the store has answered for a claim that it waits with
  @Nullable Tenure leaving; // the claim whose leave decides it, or was sent when it gave up
  public volatile @Nullable Object outcome; // null while undecided
  private volatile boolean mayTry;

  /** A request of the calling thread. */
  public Request(String name, LockSpec spec, long waitNanos) {
    this(name, spec, waitNanos, Thread.currentThread());
  }

  /** A request of no thread, or of this one. */
  protected Request(String name, LockSpec spec, long waitNanos, @Nullable Thread thread) {
    this.name = name;
    this.spec = spec;
    this.waitNanos = waitNanos;
    this.waits = waitNanos != 0;
    this.thread = thread;
    this.threadName = Thread.currentThread().getName();
  }

  /**
   * @return whether its limit has struck, so that it waits only for an answer
   */
  final boolean isExpired() {
    return !waits && waitNanos != 0;
  }

  /** The claim whose leave was sent when its caller gave up, if any. */
  public final @Nullable Tenure leaving() {
    return leaving;
  }

  /** Tells the parked thread that a try may succeed now. */
  public final void signal() {
    mayTry = true;
    LockSupport.unpark(thread);
  }

  /**
   * @return whether it was signalled since the last call
   */
  public final boolean takeSignal() {
    boolean signal = mayTry;
    if (signal) {
      mayTry = false;
    }
    return signal;
  }
}
