package dev.holdfast.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Registration;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.lang.System.Logger.Level;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs one task under a lease, gives the lease back, and keeps no loss to itself. The task's thread
 * is interrupted when the lock is lost, and only while the task runs.
 */
public final class Runner {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** What a task runs under. */
  public interface Held {
    Registration onLost(Runnable action, Executor executor);

    boolean isValid();

    LeaseState state();

    /** {@return whether somebody has ended it} */
    boolean isClosed();

    /** Ends it; whether it was ours until now. */
    CompletableFuture<Boolean> end();

    /** What to throw when it is over. */
    LeaseLostException over();

    /** What to throw when the store no longer had it at its release. */
    LeaseLostException gone();

    /** {@return whether it ended with the client} */
    boolean isEndedWithClient();
  }

  private final Engine engine;
  private final Held lease;
  private final Thread thread = Thread.currentThread();
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private boolean ended;
  private boolean interrupted;

  /** On the calling thread. */
  public Runner(Engine engine, Held lease) {
    this.engine = engine;
    this.lease = lease;
  }

  /** Runs the task; its exception, if it has one, is thrown as it is. */
  @SuppressWarnings("NullAway") // null is returned only where the task itself returned it
  public <T extends @Nullable Object> T run(Callable<T> task) {
    T result = null;
    Throwable failure = null;
    // The caller's executor may be busy with this very task.
    Executor own = engine.ownThreads();
    try (Registration whenLost = lease.onLost(this::interrupt, own)) {
      result = task.call();
    } catch (Throwable e) {
      failure = e;
    } finally {
      end();
    }
    if (failure instanceof StaleTokenException stale) {
      // A fence has seen a greater token than the store remembers: our next one must be greater.
      engine.floors().raiseAfter(stale);
    }
    LeaseLostException loss = giveBack();
    if (loss != null && !isOfThisHold(failure, loss)) {
      if (failure != null) {
        loss.addSuppressed(failure);
      }
      throw loss;
    }
    if (failure != null) {
      throw Runner.<RuntimeException>sneaky(failure);
    }
    return result;
  }

  /** Gives the lease back; what to throw if it was lost before that. */
  private @Nullable LeaseLostException giveBack() {
    LeaseLostException loss = lease.isClosed() || lease.isValid() ? null : lease.over();
    try {
      engine.await(lease.end()); // or it was ended by the task
    } catch (StoreException unanswered) { // no answer is no loss
      LOG.log(Level.WARNING, unanswered.getMessage());
    }
    if (lease.state() == LeaseState.LOST) {
      return loss != null ? loss : lease.gone();
    }
    return lease.isEndedWithClient() ? null : loss; // one of several may have been closed
  }

  private static boolean isOfThisHold(@Nullable Throwable failure, LeaseLostException loss) {
    return failure instanceof LeaseLostException lost
        && lost.lockName().equals(loss.lockName())
        && lost.token() == loss.token();
  }

  @SuppressWarnings("unchecked") // callers declare what their task may throw
  private static <E extends Throwable> E sneaky(Throwable failure) throws E {
    throw (E) failure;
  }

  private void interrupt() {
    mutex.lock();
    try {
      if (!ended) {
        interrupted = true;
        thread.interrupt();
      }
    } finally {
      mutex.unlock();
    }
  }

  /** The interrupt was meant for the task: what comes after it does not see it. */
  private void end() {
    mutex.lock();
    try {
      ended = true;
      if (interrupted) {
        Thread.interrupted();
      }
    } finally {
      mutex.unlock();
    }
  }
}
