package dev.holdfast.spi.support;

import dev.holdfast.Diagnosis;
import dev.holdfast.Fence;
import dev.holdfast.Finding;
import dev.holdfast.LockInfo;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store whose failures show no secret. Thread-safe, as the store is. */
final class GuardedStore implements LockStore {

  private final LockStore store;
  private final Secrets secrets;

  GuardedStore(LockStore store, Secrets secrets) {
    this.store = store;
    this.secrets = secrets;
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return guard(() -> store.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return guard(() -> store.refresh(claims, deadline)).thenApply(this::clean);
  }

  @Override
  public int refreshBatch() {
    return store.refreshBatch();
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return guard(() -> store.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return guard(() -> store.evict(lock, token));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return store.observe(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return guard(() -> store.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return guard(() -> store.list(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return guard(() -> store.discard(lock));
  }

  @Override
  public Fence fence() {
    return new GuardedFence(store.fence());
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return guard(store::diagnose).thenApply(this::clean);
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return secrets.hide(store.toString());
  }

  private <T> CompletionStage<T> guard(Supplier<CompletionStage<T>> operation) {
    CompletionStage<T> answer;
    try {
      answer = operation.get();
    } catch (RuntimeException e) {
      throw secrets.hide(e);
    }
    return answer.exceptionallyCompose(
        failure -> CompletableFuture.failedFuture(secrets.hide(Failures.unwrap(failure))));
  }

  private Map<Claim, Standing> clean(Map<Claim, Standing> standings) {
    Map<Claim, Standing> clean = new HashMap<>(standings);
    clean.replaceAll(
        (claim, standing) ->
            standing instanceof Unknown unknown && unknown.cause() != null
                ? new Unknown(secrets.hide(unknown.cause()))
                : standing);
    return clean;
  }

  private Diagnosis clean(Diagnosis diagnosis) {
    return new Diagnosis(
        diagnosis.time(),
        diagnosis.findings().stream()
            .map(finding -> new Finding(finding.severity(), secrets.hide(finding.message())))
            .toList());
  }

  /** A fence whose failures show no secret. Thread-safe if the fence is. */
  private final class GuardedFence implements Fence {
    private final Fence fence;

    GuardedFence(Fence fence) {
      this.fence = fence;
    }

    @Override
    public void enter(Proof proof) {
      guarded(
          () -> {
            fence.enter(proof);
            return true;
          });
    }

    @Override
    public void check(Proof proof) {
      guarded(
          () -> {
            fence.check(proof);
            return true;
          });
    }

    @Override
    public long current(String lock) {
      return guarded(() -> fence.current(lock));
    }

    @Override
    public void reset(String lock, long token) {
      guarded(
          () -> {
            fence.reset(lock, token);
            return true;
          });
    }

    private <T> T guarded(Supplier<T> call) {
      try {
        return call.get();
      } catch (RuntimeException e) {
        throw secrets.hide(e);
      }
    }
  }
}
