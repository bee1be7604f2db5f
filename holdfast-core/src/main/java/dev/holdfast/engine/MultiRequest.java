package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.MultiLease;
import dev.holdfast.Registration;
import dev.holdfast.engine.EngineMultiLock.Countdown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one lock after the other without a thread. Its future, completed by the caller or by the
 * loss of a lock that was taken before, ends the request that is under way, and what was taken is
 * given back.
 */
final class MultiRequest {

  private final Engine engine;
  private final List<EngineLock> locks;
  private final Countdown countdown;
  private final boolean startsOver;
  private final @Nullable Duration insists;
  private final CompletableFuture<@Nullable MultiLease> result = new CompletableFuture<>();

  // Mutable state: touched by one step after the other
  private final List<EngineLease> held = new ArrayList<>();
  private final List<Registration> whenLost = new ArrayList<>();
  private volatile @Nullable CompletableFuture<@Nullable Lease> current;

  /**
   * @param insists how long the caller wanted to wait, if busy is an exception
   */
  MultiRequest(
      Engine engine,
      List<EngineLock> locks,
      Countdown countdown,
      boolean startsOver,
      @Nullable Duration insists) {
    this.engine = engine;
    this.locks = locks;
    this.countdown = countdown;
    this.startsOver = startsOver;
    this.insists = insists;
  }

  CompletableFuture<@Nullable MultiLease> start() {
    next();
    var unused = result.whenComplete((all, failure) -> cancelCurrent());
    return result;
  }

  private void next() {
    boolean waits = held.isEmpty() || !startsOver;
    ask(locks.get(held.size()), waits ? countdown.left() : 0, this::answered);
  }

  private void ask(EngineLock lock, long waitNanos, Answer then) {
    CompletableFuture<@Nullable Lease> asked = lock.acquireAsync(waitNanos);
    current = asked;
    if (result.isDone()) {
      asked.cancel(false); // the caller has given up between two locks
    }
    var unused =
        asked.whenComplete(
            (lease, failure) -> {
              if (failure != null) {
                fail(Answers.cause(failure));
              } else {
                then.accept(lock, (EngineLease) lease);
              }
            });
  }

  private interface Answer {
    void accept(EngineLock lock, @Nullable EngineLease lease);
  }

  private void answered(EngineLock lock, @Nullable EngineLease lease) {
    if (lease != null) {
      take(lease);
    } else if (startsOver && !held.isEmpty() && countdown.left() > 0) {
      giveBack();
      guarded(() -> ask(lock, countdown.left(), this::freed));
    } else {
      busy(lock);
    }
  }

  /** The one that was busy is free: it starts over with the first. */
  private void freed(EngineLock lock, @Nullable EngineLease lease) {
    if (lease == null) {
      busy(lock);
      return;
    }
    var unused = lease.giveBack();
    guarded(this::next);
  }

  private void take(EngineLease part) {
    held.add(part);
    // The caller's executor may be waiting for this very result.
    Executor own = engine.context().alarms().own();
    whenLost.add(part.onLost(() -> result.completeExceptionally(part.over()), own));
    if (held.size() == locks.size()) {
      finish();
    } else {
      guarded(this::next);
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException clientIsClosed) {
      fail(clientIsClosed);
    }
  }

  private void finish() {
    EngineMultiLease all = new EngineMultiLease(engine, held);
    try {
      all.ensure(Duration.ZERO);
    } catch (RuntimeException lost) {
      fail(lost);
      return;
    }
    if (result.complete(all)) {
      whenLost.forEach(Registration::close);
    } else {
      giveBack();
    }
  }

  private void busy(EngineLock lock) {
    giveBack();
    Duration waited = insists;
    if (waited == null) {
      result.complete(null);
    } else {
      result.completeExceptionally(lock.gaveUp(waited));
    }
  }

  private void fail(@Nullable Throwable failure) {
    giveBack();
    result.completeExceptionally(
        failure != null ? failure : new IllegalStateException("the request failed"));
  }

  private void giveBack() {
    whenLost.forEach(Registration::close);
    whenLost.clear();
    List<EngineLease> given = List.copyOf(held);
    held.clear();
    var unused = EngineMultiLease.giveBack(given);
  }

  private void cancelCurrent() {
    CompletableFuture<@Nullable Lease> asked = current;
    if (asked != null && !asked.isDone()) {
      asked.cancel(false);
    }
  }
}
