package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The claims of one lock, or some of them, as they were at one revision of the store. Immutable.
 *
 * @param claims in queue order
 * @param epoch the store's epoch when they were read
 */
public record StoredQueue(List<ClaimRecord> claims, long revision, long epoch) {

  /** Nothing was found. */
  public static final StoredQueue EMPTY = new StoredQueue(List.of(), 0, 0);

  /** Parses these keys and brings them into queue order. */
  public static StoredQueue of(
      Collection<StoredKey> keys, RecordFormat format, long revision, long epoch) {
    List<ClaimRecord> claims = new ArrayList<>(keys.size());
    for (StoredKey key : keys) {
      claims.add(format.parse(key));
    }
    claims.sort(Comparator.comparingLong(claim -> claim.stored().created()));
    return new StoredQueue(claims, revision, epoch);
  }

  /**
   * @return true if there are no claims
   */
  public boolean isEmpty() {
    return claims.isEmpty();
  }

  /** The first claim: its kind and capacity are the lock's. */
  public ClaimRecord head() {
    return claims.get(0);
  }

  /**
   * @return the number of claims ahead of this one, of its first record if it was stored twice; -1
   *     if it is not in the queue
   */
  public int indexOf(Claim claim) {
    for (int i = 0; i < claims.size(); i++) {
      if (claims.get(i).id().equals(claim.id())) {
        return i;
      }
    }
    return -1;
  }

  /**
   * @return the number of claims ahead of the one at this place, -1 if there is none
   */
  public int indexOf(Place place) {
    for (int i = 0; i < claims.size(); i++) {
      if (claims.get(i).place().equals(place)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * @return the number of granted claims, all at the head
   */
  public int admitted() {
    if (isEmpty()) {
      return 0;
    }
    ClaimRecord head = head();
    List<Integer> weights =
        claims.stream()
            .takeWhile(claim -> claim.agreesWith(head.kind(), head.capacity()))
            .map(ClaimRecord::weight)
            .toList();
    return Admission.admitted(weights, head.capacity());
  }

  /**
   * @return true if a claim waits
   */
  public boolean isWaitedFor() {
    return admitted() < claims.size();
  }

  /**
   * @return true if the only claim ahead of this place may be idle
   */
  public boolean isBehindKeepable(int index) {
    return index == 1 && head().mayBeIdle();
  }

  /** The granted claims. */
  public List<ClaimRecord> holders() {
    return claims.subList(0, admitted());
  }

  /**
   * @return true if this claim would be granted behind all others
   */
  public boolean fits(Claim claim) {
    long sum = claims.stream().mapToLong(ClaimRecord::weight).sum();
    return Admission.fits(sum, claim.weight(), claim.capacity());
  }

  /**
   * @return claims ahead of a blocked one that block it as long as they are there, unchanged
   */
  public List<ClaimRecord> blockers(ClaimRecord blocked) {
    List<ClaimRecord> blockers = new ArrayList<>();
    long ahead = 0;
    for (ClaimRecord claim : claims) {
      if (claim.stored().created() >= blocked.stored().created()) {
        break;
      }
      if (!claim.agreesWith(blocked.kind(), blocked.capacity())) {
        return List.of(claim);
      }
      blockers.add(claim);
      ahead += claim.weight();
      if (!Admission.fits(ahead, blocked.weight(), blocked.capacity())) {
        break;
      }
    }
    return blockers;
  }

  /**
   * Where claims enter before it is known whether they may: those of another kind or capacity than
   * the first, and those that neither wait nor fit, are only there until they are removed.
   *
   * @return the claims ahead of a place that cannot stay; not one that only such claims block: it
   *     fits once they have gone
   */
  public List<ClaimRecord> removable(int index) {
    List<ClaimRecord> removable = new ArrayList<>();
    long ahead = 0;
    for (ClaimRecord claim : claims.subList(0, index)) {
      boolean fits = Admission.fits(ahead, claim.weight(), head().capacity());
      boolean waits = claim.state() == ClaimRecord.State.WAITING;
      if (!claim.agreesWith(head().kind(), head().capacity()) || !(waits || fits)) {
        removable.add(claim);
      } else {
        ahead += claim.weight();
      }
    }
    return removable;
  }

  /** The queue as it will be once these claims are removed. */
  public StoredQueue without(Collection<ClaimRecord> some) {
    return new StoredQueue(
        claims.stream().filter(claim -> !some.contains(claim)).toList(), revision, epoch);
  }
}
