package dev.holdfast.etcd;

import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock, or a part of it, as it was at one revision of the store.
 *
 * @param entries in queue order
 * @param term of the leader, or of a later one: who led before did not lead any more
 */
record Queue(List<Entry> entries, long revision, long term) {

  static final Queue EMPTY = new Queue(List.of(), 0, 0);

  /** What an answer with this header tells. */
  static Queue of(RangeResponse range, ResponseHeader header) {
    return new Queue(sorted(range.getKvsList()), header.getRevision(), header.getRaftTerm());
  }

  /** For people: whenever it was. */
  static Queue of(List<KeyValue> stored) {
    return new Queue(sorted(stored), 0, 0);
  }

  private static List<Entry> sorted(List<KeyValue> stored) {
    List<Entry> entries = new ArrayList<>(stored.size());
    for (KeyValue one : stored) {
      entries.add(Entry.of(one));
    }
    entries.sort(Comparator.comparingLong(Entry::created));
    return entries;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The first: it says what the lock is used as. */
  Entry head() {
    return entries.get(0);
  }

  @Nullable Entry find(Claim claim) {
    int index = indexOf(claim);
    return index < 0 ? null : entries.get(index);
  }

  /** Where the claim stands, the first time if it has entered twice; -1 if it is not there. */
  int indexOf(Claim claim) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).id().equals(claim.id())) {
        return i;
      }
    }
    return -1;
  }

  /** How many at the head are granted. */
  int admitted() {
    return isEmpty()
        ? 0
        : Admission.admitted(
            entries.stream().map(Entry::weight).toList(), entries.get(0).capacity());
  }

  /** Whether one more would be granted. */
  boolean fits(Claim claim) {
    long sum = entries.stream().mapToLong(Entry::weight).sum();
    return Admission.fits(sum, claim.weight(), claim.capacity());
  }
}
