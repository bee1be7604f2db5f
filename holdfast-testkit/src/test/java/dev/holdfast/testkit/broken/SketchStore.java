package dev.holdfast.testkit.broken;

import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** One client of a {@link Sketch}. */
final class SketchStore implements LockStore {

  private final Sketch sketch;
  private final Map<String, List<Runnable>> observers = new ConcurrentHashMap<>();

  SketchStore(Sketch sketch) {
    this.sketch = sketch;
  }

  @Override
  public Traits traits() {
    return sketch.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return step(() -> sketch.join(claim, wait, this));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return step(() -> sketch.refresh(claims));
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return step(() -> sketch.leave(departures));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return step(() -> sketch.evict(lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return step(() -> false);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    List<Runnable> here =
        observers.computeIfAbsent(sketch.key(lock), key -> new CopyOnWriteArrayList<>());
    here.add(wake);
    return () -> here.remove(wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return step(() -> sketch.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return step(() -> sketch.list(prefix, limit));
  }

  @Override
  public void close() {}

  void wake(String lock) {
    observers.getOrDefault(sketch.key(lock), List.of()).forEach(Runnable::run);
  }

  @Override
  public String toString() {
    return "sketch:";
  }

  private <T> CompletionStage<T> step(Supplier<T> act) {
    try {
      return CompletableFuture.completedFuture(sketch.step(act));
    } catch (IllegalArgumentException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }
}
