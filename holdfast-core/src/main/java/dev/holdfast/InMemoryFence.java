package dev.holdfast;

import java.util.concurrent.ConcurrentHashMap;

/** The highest exclusive token per lock name. Thread-safe. */
final class InMemoryFence implements Fence {

  private final ConcurrentHashMap<String, Long> highest = new ConcurrentHashMap<>();

  @Override
  public void enter(Proof proof) {
    long raised = FenceToken.raising(proof);
    long current =
        raised == FenceToken.NONE
            ? current(proof.lock())
            : highest.merge(proof.lock(), raised, Math::max);
    FenceToken.refuseOlder(proof, current);
  }

  @Override
  public void check(Proof proof) {
    FenceToken.refuseOlder(proof, current(proof.lock()));
  }

  @Override
  public long current(String lock) {
    return highest.getOrDefault(lock, FenceToken.NONE);
  }

  @Override
  public void reset(String lock, long token) {
    if (FenceToken.forReset(lock, token) == FenceToken.NONE) {
      highest.remove(lock);
    } else {
      highest.put(lock, token);
    }
  }
}
