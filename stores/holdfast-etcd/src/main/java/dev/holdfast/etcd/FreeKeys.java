package dev.holdfast.etcd;

import dev.holdfast.leased.StoredQueue;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/*
 * etcd remembers each deleted key until its history is compacted, and walks over all of them when it
 * reads a range. With a separate key for each claim, a lock would become slower with each use. So
 * the claims of a lock use few keys again and again: the first claim uses the first key, a waiter one
 * of two keys of its client, in turn because the client may still have a claim on the other, or any
 * free key.
 *
 * A key does not say whose claim it is. The record does, which has the claim's id; and each change or
 * deletion of a key compares the revision at which the claim created it.
 */

/** Chooses the key for a claim. Thread-safe. */
final class FreeKeys {

  /** For a claim that is granted because the queue is empty. */
  static final int FIRST = 0;

  private static final int FEW = 128;

  private final Keys keys;

  // Mutable state
  private volatile int next = any(FEW);
  private volatile int afterNext = any(FEW);

  FreeKeys(Keys keys) {
    this.keys = keys;
  }

  /** For a waiter that has not read the queue. It may be in use. */
  String usual(String lock) {
    int number = next;
    next = afterNext;
    afterNext = number;
    return keys.claim(lock, number);
  }

  /** A key that is not in use in this queue; a usual one that is in use is not usual any more. */
  String free(String lock, StoredQueue queue) {
    Set<String> taken = new HashSet<>();
    queue.claims().forEach(claim -> taken.add(claim.stored().key()));
    if (taken.contains(keys.claim(lock, afterNext))) {
      afterNext = any(FEW); // it may be the usual one of another client, too
    }
    int number = next;
    while (taken.contains(keys.claim(lock, number))) {
      number = any(Math.max(FEW, 2 * taken.size()));
      next = number <= FEW ? number : next;
    }
    return keys.claim(lock, number);
  }

  private static int any(int few) {
    return FIRST + 1 + ThreadLocalRandom.current().nextInt(few);
  }
}
