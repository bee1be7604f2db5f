package dev.holdfast.leased;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.spi.Claim;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Computes from the changes ahead of a waiter when its turn may have come. Thread-safe. */
final class WaitingClaim implements KeyWatches.Listener {

  private final KeyWatches.Target target;
  private final boolean needsAll;
  private final long room;
  private final RecordFormat format;
  private final Runnable wake;
  private final Map<String, Integer> ahead = new ConcurrentHashMap<>();

  // Mutable state
  private volatile ClaimRecord record;
  private volatile boolean alone;
  private volatile boolean ended;

  /**
   * @param record of the waiter
   * @param ahead the claims ahead of it
   */
  WaitingClaim(
      Claim claim,
      KeyWatches.Target target,
      ClaimRecord record,
      List<ClaimRecord> ahead,
      RecordFormat format,
      Runnable wake) {
    this.record = record;
    this.target = target;
    this.needsAll = claim.weight() == claim.capacity();
    this.room = (long) claim.capacity() - claim.weight();
    this.format = format;
    this.wake = wake;
    ahead.forEach(other -> this.ahead.put(other.stored().key(), other.weight()));
  }

  /**
   * @return true if it still watches this for the same waiter, which has not joined again since
   */
  boolean serves(ClaimRecord waiter, KeyWatches.Target wanted) {
    return !ended
        && target.equals(wanted)
        && record.stored().created() == waiter.stored().created();
  }

  /** The waiter is still there, behind the same claims. */
  void seen(ClaimRecord waiter) {
    record = waiter;
  }

  /**
   * @return the waiter's record if it needs the whole capacity and probably no claim is ahead of
   *     it, otherwise null
   */
  @Nullable ClaimRecord next() {
    return alone ? record : null;
  }

  @Override
  public void deleted(String key) {
    if (ahead.remove(key) != null && (needsAll || fits())) {
      alone = needsAll;
      wake.run();
    }
  }

  @Override
  public void changed(StoredKey now) {
    boolean known = ahead.computeIfPresent(now.key(), (key, before) -> weight(now)) != null;
    if (known && !needsAll && fits()) {
      wake.run();
    }
  }

  @Override
  public boolean found(Collection<StoredKey> now) {
    long left = 0;
    for (StoredKey stored : now) {
      left += ahead.containsKey(stored.key()) ? format.parse(stored).weight() : 0;
    }
    if (left <= room) {
      missed();
    }
    return ended;
  }

  private boolean fits() {
    return ahead.values().stream().mapToLong(Integer::longValue).sum() <= room;
  }

  // A record that cannot be read weighs nothing: the refresh that follows reports it.
  private int weight(StoredKey stored) {
    try {
      return format.parse(stored).weight();
    } catch (UnreadableRecordException e) {
      return 0;
    }
  }

  @Override
  public void interrupted() {
    wake.run();
  }

  @Override
  public void missed() {
    ended = true;
    wake.run();
  }

  /** Its renewals tell as well when its turn has come. */
  @Override
  public void refused() {
    ended = true;
  }
}
