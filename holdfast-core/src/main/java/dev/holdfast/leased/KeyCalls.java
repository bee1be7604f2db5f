package dev.holdfast.leased;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a store does about the keys of claims. Reads are linearizable.
 *
 * @param <L> its leases
 */
public interface KeyCalls<L extends KeptLease> {

  /** How many queues or keys one request reads. */
  int readsAtOnce();

  /**
   * A part of what one request reads: the queue of a lock, or only one key in it.
   *
   * @param key null for the whole queue
   */
  record Look(String lock, @Nullable String key) {}

  /**
   * Reads for a renewal.
   *
   * @return what each look found. Each supplier parses its own part, so that a record that cannot
   *     be read fails no other claim
   */
  CompletableFuture<List<Supplier<StoredQueue>>> read(List<Look> looks, Deadline deadline);

  /**
   * Removes claims ahead of a waiter that cannot stay, where claims enter before it is known
   * whether they may.
   *
   * @return the queue after that
   */
  default CompletableFuture<StoredQueue> clearAhead(
      String lock, StoredQueue queue, int index, Deadline deadline) {
    return CompletableFuture.completedFuture(queue);
  }

  /**
   * Puts a claim on another lease, with what the renewal changes, unless its record has changed
   * since it was read or the claim has a tombstone.
   *
   * @return its record as it is now, alone in a queue, or an empty queue if it is gone; fails with
   *     {@link LeaseEndedException} if the lease has ended
   */
  CompletableFuture<StoredQueue> move(
      Claim claim, ClaimRecord record, Duration ttl, L lease, Deadline deadline);

  /**
   * Makes a waiter the holder if no claim is ahead of it: {@link #move} and the check in one step.
   *
   * @return null if the store cannot do that in one step
   */
  default @Nullable CompletableFuture<Promotion> promote(
      Claim claim, ClaimRecord record, L lease, Deadline deadline) {
    return null;
  }

  /**
   * The answer to {@link #promote}.
   *
   * @param wanted another claim waits behind one that is or was to be keepable: it is not now
   * @param queue the queue if the claim was not made the holder; otherwise only revision and epoch
   */
  record Promotion(boolean granted, boolean wanted, StoredQueue queue) {}

  /** The deadline of an operation that comes without one and begins now. */
  Deadline deadline();

  /** Reads the queue of a lock. */
  CompletableFuture<StoredQueue> queue(String verb, String lock, Deadline deadline);

  /**
   * Reads the claims of locks whose names start with this prefix.
   *
   * @return the keys of each lock, in the order of their names; of all locks up to the limit,
   *     perhaps of more
   */
  CompletableFuture<Map<String, List<StoredKey>>> list(String prefix, int limit, Deadline deadline);

  /**
   * @return how long each of these claims will last without renewal, by its lease
   */
  CompletableFuture<Map<String, Duration>> remaining(
      Collection<ClaimRecord> claims, Deadline deadline);

  /** What became of claims that were to be removed. */
  enum Removal {
    REMOVED,
    NOT_THERE,
    /** The claim has changed since it was read, and must be read again. */
    CHANGED
  }

  /** Removes exactly these claims. */
  CompletableFuture<Removal> remove(String lock, List<ClaimRecord> claims, Deadline deadline);

  /**
   * Removes the keys in a lock's queue that match, unless they have changed since they were read.
   *
   * @return true if any was removed
   */
  CompletableFuture<Boolean> removeIf(String lock, Predicate<StoredKey> matches, Deadline deadline);
}
