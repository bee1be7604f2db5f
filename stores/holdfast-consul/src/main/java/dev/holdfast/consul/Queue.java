package dev.holdfast.consul;

import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The claims to one lock as they were at one moment.
 *
 * <p>A claim of another kind or capacity than the first stands in the queue only until its client
 * has taken it out again. It is not let in, nor is anybody behind it.
 *
 * @param entries in queue order
 */
record Queue(List<Entry> entries) {

  static Queue of(Collection<Stored> stored) {
    return new Queue(
        stored.stream()
            .map(Entry::of)
            .sorted(Comparator.comparingLong(entry -> entry.stored().created()))
            .toList());
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The first: it says what the lock is used as. */
  Entry head() {
    return entries.get(0);
  }

  int indexOf(String key) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).key().equals(key)) {
        return i;
      }
    }
    return -1;
  }

  /** How many at the head are granted. */
  int admitted() {
    if (isEmpty()) {
      return 0;
    }
    List<Integer> alike =
        entries.stream()
            .takeWhile(entry -> entry.isUsedAs(head().kind(), head().capacity()))
            .map(Entry::weight)
            .toList();
    return Admission.admitted(alike, head().capacity());
  }

  /**
   * Those ahead that are enough to keep a claim out: as long as they are there, unchanged, it
   * cannot be granted.
   */
  List<Entry> blockers(Claim claim, int index) {
    List<Entry> blockers = new ArrayList<>();
    long ahead = 0;
    for (Entry entry : entries.subList(0, index)) {
      if (!entry.isUsedAs(claim.kind(), claim.capacity())) {
        return List.of(entry);
      }
      blockers.add(entry);
      ahead += entry.weight();
      if (!Admission.fits(ahead, claim.weight(), claim.capacity())) {
        break;
      }
    }
    return blockers;
  }
}
