package dev.holdfast.multi;

import dev.holdfast.Lease;
import dev.holdfast.MultiLease;
import dev.holdfast.Registration;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLease;
import dev.holdfast.engine.EngineLock;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one lock after the other, within one deadline, by the thread that waits for them or by a
 * future. All or nothing: whatever goes wrong on the way, what was taken is given back.
 */
final class JointRequest {

  private final Engine engine;
  private final List<EngineLock> locks;
  private final boolean startsOver;
  private final long waitNanos;
  private final @Nullable Duration insists;
  private final long started;
  private final CompletableFuture<@Nullable MultiLease> result = new CompletableFuture<>();

  // Mutable state: touched by one step after the other
  private final List<EngineLease> held = new ArrayList<>();
  private final List<Registration> whenLost = new ArrayList<>();
  private @Nullable EngineLock busy; // asked for alone: when it was free, we start over
  private volatile @Nullable CompletableFuture<@Nullable Lease> current;

  /**
   * @param startsOver whether what was taken is given back while another lock is busy
   * @param insists how long the caller wanted to wait, if busy is an exception
   */
  JointRequest(
      Engine engine,
      List<EngineLock> locks,
      boolean startsOver,
      long waitNanos,
      @Nullable Duration insists) {
    this.engine = engine;
    this.locks = locks;
    this.startsOver = startsOver;
    this.waitNanos = waitNanos;
    this.insists = insists;
    this.started = engine.ticker().nanoTime();
  }

  // ---------------------------------------------------------------- which lock is next

  private EngineLock next() {
    return busy != null ? busy : locks.get(held.size());
  }

  private long nextWait() {
    return mayWait() ? left() : 0;
  }

  private boolean mayWait() {
    return held.isEmpty() || !startsOver;
  }

  private long left() {
    return waitNanos == Request.FOR_EVER
        ? waitNanos
        : Math.max(0, waitNanos - (engine.ticker().nanoTime() - started));
  }

  private boolean isComplete() {
    return held.size() == locks.size();
  }

  /**
   * The next one was granted, or is busy. One that starts over gives back what it has, first while
   * it waits for the busy one, and then that one.
   *
   * @return the giving back, done if there is none; null if busy is the outcome of all
   */
  private @Nullable CompletableFuture<Boolean> answered(@Nullable EngineLease lease) {
    if (lease == null) {
      if (mayWait() || left() == 0) {
        return null;
      }
      busy = next();
      return giveBack();
    }
    held.add(lease);
    if (busy == null) {
      return CompletableFuture.completedFuture(true);
    }
    busy = null;
    return giveBack();
  }

  private JointLease complete() {
    JointLease all = new JointLease(engine, held);
    if (all.isEndedWithClient()) {
      throw new IllegalStateException("the client is closed");
    }
    all.ensure(Duration.ZERO); // one may have been lost in the moment of the last grant
    return all;
  }

  private CompletableFuture<Boolean> giveBack() {
    whenLost.forEach(Registration::close);
    whenLost.clear();
    List<EngineLease> taken = List.copyOf(held);
    held.clear();
    return JointLease.giveBack(taken);
  }

  // ---------------------------------------------------------------- by a thread

  /**
   * Waits for all of them.
   *
   * @param minHold how long each of them stays taken at least, if all of them are granted
   * @return null if busy
   */
  @Nullable JointLease await(boolean interruptibly, Duration minHold) throws InterruptedException {
    long[] granted = new long[locks.size()];
    try {
      while (!isComplete()) {
        EngineLock lock = next();
        EngineLease lease = lock.acquireBeside(held, nextWait(), interruptibly);
        granted[held.size()] = engine.ticker().nanoTime();
        CompletableFuture<Boolean> left = answered(lease);
        if (left == null) {
          if (insists != null) {
            throw lock.gaveUp(insists);
          }
          return null;
        }
        engine.awaitQuietly(left);
      }
      JointLease all = complete();
      for (int i = 0; i < granted.length; i++) {
        held.get(i).keepUntil(granted[i] + minHold.toNanos());
      }
      held.clear(); // they are the caller's
      return all;
    } finally {
      engine.awaitQuietly(giveBack());
    }
  }

  // ---------------------------------------------------------------- by a future

  /** Completed by the caller, or by the loss of a lock, it ends the request that is under way. */
  CompletableFuture<@Nullable MultiLease> start() {
    ask();
    var unused = result.whenComplete((all, failure) -> cancelCurrent());
    return result;
  }

  private void ask() {
    EngineLock lock = next();
    CompletableFuture<@Nullable Lease> asked = lock.acquireAsync(nextWait());
    current = asked;
    if (result.isDone()) {
      asked.cancel(false); // the caller has given up between two locks
    }
    var unused =
        asked.whenComplete(
            (lease, failure) -> {
              try {
                if (failure != null) {
                  fail(failure);
                } else {
                  goOn(lock, (EngineLease) lease);
                }
              } catch (RuntimeException lostOrClosed) {
                fail(lostOrClosed);
              }
            });
  }

  private void goOn(EngineLock lock, @Nullable EngineLease lease) {
    if (answered(lease) == null) {
      busy(lock);
    } else if (isComplete()) {
      finish(complete());
    } else {
      if (lease != null && held.contains(lease)) {
        // On dedicated threads: the caller's executor may be waiting for this very result. The
        // lease may have been released by then; its loss is reported nevertheless.
        whenLost.add(
            lease.onLost(() -> result.completeExceptionally(lease.gone()), engine.ownThreads()));
      }
      ask();
    }
  }

  private void busy(EngineLock lock) {
    var unused = giveBack();
    Duration waited = insists;
    if (waited == null) {
      result.complete(null);
    } else {
      result.completeExceptionally(lock.gaveUp(waited));
    }
  }

  private void finish(JointLease all) {
    if (result.complete(all)) {
      whenLost.forEach(Registration::close);
    } else {
      var unused = giveBack();
    }
  }

  private void fail(Throwable failure) {
    var unused = giveBack();
    result.completeExceptionally(failure);
  }

  private void cancelCurrent() {
    CompletableFuture<@Nullable Lease> asked = current;
    if (asked != null && !asked.isDone()) {
      asked.cancel(false);
    }
  }
}
