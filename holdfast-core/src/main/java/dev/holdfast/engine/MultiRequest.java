package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one lock after the other without a thread. Its future, completed by the caller or by the
 * loss of a lock that was taken before, ends the request that is under way, and what was taken is
 * given back.
 *
 * @param <T> a lease, or null where busy is an answer
 */
final class MultiRequest<T extends @Nullable Lease> {

  private final Engine engine;
  private final List<EngineLock> locks;
  private final Function<EngineLock, CompletableFuture<T>> ask;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  // Mutable state: touched by one step after the other
  private final List<EngineLease> held = new ArrayList<>();
  private final List<Registration> whenLost = new ArrayList<>();
  private volatile @Nullable CompletableFuture<T> current;

  MultiRequest(
      Engine engine, List<EngineLock> locks, Function<EngineLock, CompletableFuture<T>> ask) {
    this.engine = engine;
    this.locks = locks;
    this.ask = ask;
  }

  CompletableFuture<T> start() {
    next();
    var unused = result.whenComplete((all, failure) -> cancelCurrent());
    return result;
  }

  private void next() {
    CompletableFuture<T> asked = ask.apply(locks.get(held.size()));
    current = asked;
    if (result.isDone()) {
      asked.cancel(false); // the caller has given up between two locks
    }
    var unused = asked.whenComplete(this::answered);
  }

  private void answered(@Nullable T lease, @Nullable Throwable failure) {
    if (failure != null) {
      fail(
          failure instanceof CompletionException wrapped && wrapped.getCause() != null
              ? wrapped.getCause()
              : failure);
    } else if (lease == null) {
      giveBack();
      result.complete(lease);
    } else {
      take((EngineLease) lease);
    }
  }

  private void take(EngineLease part) {
    held.add(part);
    whenLost.add(part.onLost(() -> result.completeExceptionally(part.over()), engine.callbacks()));
    if (held.size() == locks.size()) {
      finish();
      return;
    }
    try {
      next();
    } catch (RuntimeException clientIsClosed) {
      fail(clientIsClosed);
    }
  }

  @SuppressWarnings("unchecked") // a lease over all is a T, whichever it is
  private void finish() {
    MultiLease all = new MultiLease(engine, held);
    try {
      all.ensure(Duration.ZERO);
    } catch (RuntimeException lost) {
      fail(lost);
      return;
    }
    if (result.complete((T) all)) {
      whenLost.forEach(Registration::close);
    } else {
      giveBack();
    }
  }

  private void fail(Throwable failure) {
    giveBack();
    result.completeExceptionally(failure);
  }

  private void giveBack() {
    var unused = MultiLease.giveBack(held);
  }

  private void cancelCurrent() {
    CompletableFuture<T> asked = current;
    if (asked != null && !asked.isDone()) {
      asked.cancel(false);
    }
  }
}
