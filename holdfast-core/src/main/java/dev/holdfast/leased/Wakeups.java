package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Observers;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Wakes waiters when their turn may have come.
 *
 * <p>A claim that needs the whole capacity waits for all claims ahead, so it watches only the last
 * of them. Other claims may fit as soon as any claim ahead leaves or lowers its weight: they watch
 * the queue, and are woken only when they fit. No claim can come in ahead.
 *
 * <p>Thread-safe.
 */
final class Wakeups {

  private final KeyWatches watches;
  private final RecordFormat format;
  private final Observers observers;
  private final ConcurrentHashMap<ClaimKey, WaitingClaim> waiting = new ConcurrentHashMap<>();

  Wakeups(KeyWatches watches, RecordFormat format, Observers observers) {
    this.watches = watches;
    this.format = format;
    this.observers = observers;
  }

  /** The claim waits at this index. */
  void watch(Claim claim, StoredQueue queue, int index) {
    boolean needsAll = claim.weight() == claim.capacity();
    String last = queue.claims().get(index - 1).stored().key();
    KeyWatches.Target target = new KeyWatches.Target(claim.lock(), needsAll ? last : null);
    ClaimKey key = ClaimKey.of(claim);
    ClaimRecord record = queue.claims().get(index);
    WaitingClaim known = waiting.get(key);
    if (known != null && known.serves(record, target)) {
      known.seen(record);
      if (needsAll) { // what it waits for was there then
        watches.reached(known, queue.revision() + 1);
      }
      return;
    }
    WaitingClaim fresh =
        new WaitingClaim(
            claim,
            target,
            record,
            queue.claims().subList(0, index),
            format,
            () -> observers.wake(claim.lock()));
    WaitingClaim before = waiting.put(key, fresh);
    if (before != null) {
      watches.remove(before);
    }
    watches.add(fresh, target, queue.revision() + 1);
    if (waiting.get(key) != fresh) { // the claim has left meanwhile
      watches.remove(fresh);
    }
  }

  /**
   * @return the waiter's record if probably no claim is ahead of it any more, otherwise null
   */
  @Nullable ClaimRecord next(Claim claim) {
    WaitingClaim known = waiting.get(ClaimKey.of(claim));
    return known == null ? null : known.next();
  }

  /** The claim does not wait any more. */
  void drop(ClaimKey claim) {
    WaitingClaim known = waiting.isEmpty() ? null : waiting.remove(claim);
    if (known != null) {
      watches.remove(known);
    }
  }
}
