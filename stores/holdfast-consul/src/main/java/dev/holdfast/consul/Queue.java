package dev.holdfast.consul;

import dev.holdfast.spi.Admission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The claims to one lock as they were at one moment.
 *
 * <p>Some cannot stay, and stand here only until they are taken out again: a claim of another kind
 * or capacity than the first, and one that does not wait and does not fit. They are not let in, nor
 * is anybody behind them.
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

  List<Entry> holders() {
    return entries.subList(0, admitted());
  }

  /**
   * Those ahead that cannot stay. A claim that only they keep out does not count among them: it
   * fits as soon as they have gone.
   */
  List<Entry> strays(int index) {
    List<Entry> strays = new ArrayList<>();
    long ahead = 0;
    for (Entry entry : entries.subList(0, index)) {
      boolean fits = Admission.fits(ahead, entry.weight(), head().capacity());
      if (!entry.isUsedAs(head().kind(), head().capacity()) || !(entry.waits() || fits)) {
        strays.add(entry);
      } else {
        ahead += entry.weight();
      }
    }
    return strays;
  }

  Queue without(Collection<Entry> some) {
    return new Queue(entries.stream().filter(entry -> !some.contains(entry)).toList());
  }

  /**
   * Those ahead that are enough to keep a claim out: as long as they are there, unchanged, it
   * cannot be granted.
   */
  List<Entry> blockers(Entry kept) {
    List<Entry> blockers = new ArrayList<>();
    long ahead = 0;
    for (Entry entry : entries) {
      if (entry.stored().created() >= kept.stored().created()) {
        break;
      }
      if (!entry.isUsedAs(kept.kind(), kept.capacity())) {
        return List.of(entry);
      }
      blockers.add(entry);
      ahead += entry.weight();
      if (!Admission.fits(ahead, kept.weight(), kept.capacity())) {
        break;
      }
    }
    return blockers;
  }
}
