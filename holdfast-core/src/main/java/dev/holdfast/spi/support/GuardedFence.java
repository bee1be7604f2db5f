package dev.holdfast.spi.support;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import java.util.function.Supplier;

/** A fence whose failures show no secret. Thread-safe if the fence is. */
record GuardedFence(Fence fence, Secrets secrets) implements Fence {

  @Override
  public void enter(Proof proof) {
    guard(
        () -> {
          fence.enter(proof);
          return true;
        });
  }

  @Override
  public void check(Proof proof) {
    guard(
        () -> {
          fence.check(proof);
          return true;
        });
  }

  @Override
  public long current(String lock) {
    return guard(() -> fence.current(lock));
  }

  @Override
  public void reset(String lock, long token) {
    guard(
        () -> {
          fence.reset(lock, token);
          return true;
        });
  }

  private <T> T guard(Supplier<T> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      throw secrets.hide(e);
    }
  }
}
