package dev.holdfast.consul;

import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/*
 * A claim enters before its client knows whether it may stay. If it may not, its client removes it
 * one round trip later. Until then it blocks the claims behind it, which may fit without it; and
 * if its client dies just then, for as long as the session lives. So a client whose claim is
 * behind it removes it, on the condition that it is still blocked itself. The client of the
 * removed claim finds it gone, and gives the answer that it would have given anyway, or enters
 * again.
 *
 * A waiting claim that has not moved to the short session for waiting yet must not lose its place:
 * it is removed only once it has been seen like that for as long as a waiting claim may live
 * without a renewal.
 */

/** Removes claims that cannot stay from queues, in place of their clients. Thread-safe. */
final class QueueCleanup {

  private static final long PATIENCE = Claim.MAX_WAITING_TTL.toNanos();

  private final ConsulClient client;
  private final KeyPaths paths;
  private final Ticker ticker;
  private final ConcurrentHashMap<String, Sighting> arriving = new ConcurrentHashMap<>();

  QueueCleanup(ConsulClient client, KeyPaths paths, Ticker ticker) {
    this.client = client;
    this.paths = paths;
    this.ticker = ticker;
  }

  /** When a claim was first seen with this modify index. */
  private record Sighting(long modified, long first) {}

  /**
   * Removes claims that cannot stay ahead of this place.
   *
   * @return the queue after that; the same as before if there were none or they have changed
   */
  CompletableFuture<StoredQueue> removeAhead(
      String lock, StoredQueue queue, int index, Deadline deadline) {
    List<ClaimRecord> removable = queue.removable(index);
    StoredQueue others = queue.without(removable);
    overdue(others, index - removable.size()).ifPresent(removable::add);
    Transaction removal = removal(removable, others);
    if (removal.size() == 0) {
      return CompletableFuture.completedFuture(queue);
    }
    return client
        .transact("join", lock, removal.read(paths.queue(lock)), deadline)
        .thenApply(result -> result.tookEffect() ? ClaimFormat.queue(result.found()) : queue);
  }

  // As many as one transaction can take; the rest follow later, unless their clients remove them.
  private static Transaction removal(List<ClaimRecord> removable, StoredQueue others) {
    Transaction removal = new Transaction();
    Set<ClaimRecord> checked = new HashSet<>();
    for (ClaimRecord claim : removable) {
      List<ClaimRecord> blockers = new ArrayList<>(others.blockers(claim));
      blockers.removeAll(checked);
      if (removal.size() + blockers.size() + 2 < Transaction.MAX_OPERATIONS) {
        blockers.forEach(blocker -> removal.checkUnchanged(blocker.stored()));
        checked.addAll(blockers);
        removal.checkUnchanged(claim.stored()).delete(claim.stored().key());
      }
    }
    return removal;
  }

  // One at a time: it may be what blocks the next.
  private Optional<ClaimRecord> overdue(StoredQueue queue, int index) {
    long now = ticker.nanoTime();
    arriving.values().removeIf(sighting -> now - sighting.first > 10 * PATIENCE);
    return queue.claims().subList(Math.min(queue.admitted(), index), index).stream()
        .filter(ClaimRecord::isArriving)
        .filter(claim -> now - sighting(claim, now).first >= PATIENCE)
        .findFirst();
  }

  private Sighting sighting(ClaimRecord claim, long now) {
    long modified = claim.stored().modified();
    return arriving.compute(
        claim.stored().key(),
        (key, known) ->
            known != null && known.modified == modified ? known : new Sighting(modified, now));
  }
}
