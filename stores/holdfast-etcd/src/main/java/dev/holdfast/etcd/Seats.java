package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/*
 * etcd remembers the name of each key that was ever deleted until somebody compacts it, and walks
 * over them all when it reads a range. With a name of its own for each claim, a lock would become
 * slower each time it is used. So claims sit down on keys whose names are few: who comes first, on
 * the first; who waits, on one of two of its client, in turn because it may still sit on the
 * other, or on any that is free.
 *
 * A seat says nothing about who sits on it. That is for the record to tell, which holds the claim's
 * id; and whoever changes or deletes a seat compares the revision at which the claim sat down.
 */

/** Which key a claim takes. Any threads. */
final class Seats {

  private static final int FIRST = 0;
  private static final int FEW = 128;

  private final Keys keys;

  // Mutable state
  private volatile int next = any(FEW);
  private volatile int afterNext = any(FEW);

  Seats(Keys keys) {
    this.keys = keys;
  }

  /** For whoever finds nobody there. */
  ByteString first(String lock) {
    return keys.seat(lock, FIRST);
  }

  /** For whoever comes after others without having seen them. It may be taken. */
  ByteString usual(String lock) {
    int number = next;
    next = afterNext;
    afterNext = number;
    return keys.seat(lock, number);
  }

  /** One that is free in this queue; what is taken is not a usual one any more. */
  ByteString free(String lock, Queue queue) {
    Set<ByteString> taken = new HashSet<>();
    queue.entries().forEach(entry -> taken.add(entry.key()));
    if (taken.contains(keys.seat(lock, afterNext))) {
      afterNext = any(FEW); // it may be somebody else's usual one, too
    }
    int number = next;
    while (taken.contains(keys.seat(lock, number))) {
      number = any(Math.max(FEW, 2 * taken.size()));
      next = number <= FEW ? number : next;
    }
    return keys.seat(lock, number);
  }

  private static int any(int few) {
    return FIRST + 1 + ThreadLocalRandom.current().nextInt(few);
  }
}
