package dev.holdfast.engine;

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
import java.util.concurrent.CompletionStage;

/** Passes every call on; the base of stores that differ in one respect. */
class ForwardingStore implements LockStore {

  final LockStore inner;

  ForwardingStore(LockStore inner) {
    this.inner = inner;
  }

  @Override
  public Traits traits() {
    return inner.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return inner.join(claim, wait, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return inner.refresh(claims, deadline);
  }

  @Override
  public int refreshBatch() {
    return inner.refreshBatch();
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return inner.leave(departures, deadline);
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return inner.evict(lock, token);
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return inner.discard(lock);
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    return inner.observe(lock, wake);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return inner.inspect(lock);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return inner.list(prefix, limit);
  }

  @Override
  public void close() {
    inner.close();
  }

  @Override
  public String toString() {
    return inner.toString();
  }
}
