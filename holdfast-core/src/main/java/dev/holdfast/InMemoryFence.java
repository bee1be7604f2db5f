package dev.holdfast;

import static dev.holdfast.spi.support.PrintableText.quote;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The highest exclusive token per lock name. Any threads. */
final class InMemoryFence implements Fence {

  private final ConcurrentHashMap<String, Long> highest;

  InMemoryFence() {
    this(Map.of());
  }

  /** A fence that stands at these tokens, by lock name. */
  InMemoryFence(Map<String, Long> tokens) {
    highest = new ConcurrentHashMap<>(tokens);
  }

  /** Where it stands now, by lock name. */
  Map<String, Long> tokens() {
    return Map.copyOf(highest);
  }

  @Override
  public void enter(Proof proof) {
    long current =
        switch (proof.mode()) {
          case EXCLUSIVE -> highest.merge(proof.lock(), proof.token(), Math::max);
          case SHARED -> seen(proof);
          case PERMIT -> throw unordered(proof);
        };
    refuseOlder(proof, current);
  }

  @Override
  public void check(Proof proof) {
    if (proof.mode() == Mode.PERMIT) {
      throw unordered(proof);
    }
    refuseOlder(proof, seen(proof));
  }

  private long seen(Proof proof) {
    return highest.getOrDefault(proof.lock(), Long.MIN_VALUE);
  }

  private static void refuseOlder(Proof proof, long current) {
    if (proof.token() < current) {
      throw new StaleTokenException(proof.lock(), proof.token(), current);
    }
  }

  private static IllegalArgumentException unordered(Proof proof) {
    return new IllegalArgumentException(
        "permits of "
            + quote(proof.lock())
            + " are held side by side and cannot be fenced; verify them");
  }
}
