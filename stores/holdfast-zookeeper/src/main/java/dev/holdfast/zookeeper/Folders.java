package dev.holdfast.zookeeper;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Which locks' folders were there a moment ago: those need not be made again before a claim enters.
 * What is remembered may be wrong, because the servers remove empty folders; then the claim's node
 * is refused, and nothing is lost but a round trip.
 *
 * <p><b>Threads.</b> Safe for any. Of two folders with the same slot the last is remembered.
 */
final class Folders {

  private static final int SLOTS = 1024;

  // Mutable state
  private final AtomicReferenceArray<String> seen = new AtomicReferenceArray<>(SLOTS);

  boolean knows(String folder) {
    return folder.equals(seen.get(slot(folder)));
  }

  void remember(String folder) {
    if (!knows(folder)) {
      seen.set(slot(folder), folder);
    }
  }

  /** Returns whether it was known. */
  boolean forget(String folder) {
    String last = seen.get(slot(folder));
    return folder.equals(last) && seen.compareAndSet(slot(folder), last, null);
  }

  private static int slot(String folder) {
    return Math.floorMod(folder.hashCode(), SLOTS);
  }
}
