package dev.holdfast.engine;

import dev.holdfast.Leadership;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseState;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A lease with a published value. */
final class EngineLeadership implements Leadership {

  private final EngineLease lease;

  // Mutable state
  private volatile String value;

  EngineLeadership(EngineLease lease, String value) {
    this.lease = lease;
    this.value = value;
  }

  @Override
  public String value() {
    return value;
  }

  @Override
  public void publish(String newValue) {
    lease.publish(newValue);
    value = newValue;
    lease.renew();
  }

  @Override
  public String lockName() {
    return lease.lockName();
  }

  @Override
  public long token() {
    return lease.token();
  }

  @Override
  public Proof proof() {
    return lease.proof();
  }

  @Override
  public Owner owner() {
    return lease.owner();
  }

  @Override
  public LeaseState state() {
    return lease.state();
  }

  @Override
  public boolean isValid() {
    return lease.isValid();
  }

  @Override
  public Duration remaining() {
    return lease.remaining();
  }

  @Override
  public void ensure(Duration atLeast) {
    lease.ensure(atLeast);
  }

  @Override
  public void renew() {
    lease.renew();
  }

  @Override
  public Registration onLost(Runnable action) {
    return lease.onLost(action);
  }

  @Override
  public Registration onLost(Runnable action, Executor executor) {
    return lease.onLost(action, executor);
  }

  @Override
  public boolean release() {
    return lease.release();
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync() {
    return lease.releaseAsync();
  }

  @Override
  public LeaseHandle detach() {
    return lease.detach();
  }

  @Override
  public void close() {
    lease.close();
  }

  @Override
  public String toString() {
    return "Leadership[" + lockName() + ", token " + token() + ", " + state() + "]";
  }
}
