package dev.holdfast.leased;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.StoreException;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.leased.LeaseClasses.LeaseClass;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How a claim stands that was seen in its queue. Before that is reported, the claim must last for
 * its ttl: either it was seen on the right lease after that was renewed, or it is moved there. A
 * waiter is on a lease of at most 10 s, a granted claim on that of its ttl. The revision that
 * created its key stays.
 *
 * <p>Thread-safe.
 *
 * @param <L> the store's leases
 */
public final class Standings<L extends KeptLease> {

  private final KeyCalls<L> calls;
  private final RecordFormat format;
  private final LeaseClasses<L> leases;
  private final ClaimRegistry registry;
  private final Wakeups wakeups;
  private final HolderWatch holders;

  Standings(
      KeyCalls<L> calls,
      RecordFormat format,
      LeaseClasses<L> leases,
      ClaimRegistry registry,
      Wakeups wakeups,
      HolderWatch holders) {
    this.calls = calls;
    this.format = format;
    this.leases = leases;
    this.registry = registry;
    this.wakeups = wakeups;
    this.holders = holders;
  }

  /**
   * @param renewed leases that were renewed before the queue was requested
   * @return how the claim stands in this queue
   */
  public CompletableFuture<Standing> settle(
      Claim claim, StoredQueue queue, Collection<L> renewed, Deadline deadline) {
    int index = queue.indexOf(claim);
    return index < queue.admitted()
        ? standing(claim, queue, index, renewed, deadline)
        : calls
            .clearAhead(claim.lock(), queue, index, deadline)
            .thenCompose(
                cleared -> standing(claim, cleared, cleared.indexOf(claim), renewed, deadline));
  }

  private CompletableFuture<Standing> standing(
      Claim claim, StoredQueue queue, int index, Collection<L> renewed, Deadline deadline) {
    if (index < 0 || queue.claims().get(index).hasLeft()) {
      return completedFuture(gone(claim));
    }
    if (index < queue.admitted()) {
      return hold(claim, queue, index, queue.isWaitedFor(), renewed, deadline);
    }
    ClaimRecord record = queue.claims().get(index);
    ClaimRecord waiting = record.in(ClaimRecord.State.WAITING, record.ttl());
    return isKept(claim, waiting, queue.epoch(), claim.waitingTtl(), renewed, deadline)
        .thenApply(there -> there ? queued(claim, queue, index) : gone(claim));
  }

  /**
   * As {@link #settle}, for a claim that is known to be granted: a grant ends only with its claim.
   *
   * @param index where it is in what was read, which may be less than its queue
   * @param waitedFor whether another claim waits behind it
   */
  CompletableFuture<Standing> hold(
      Claim claim,
      StoredQueue seen,
      int index,
      boolean waitedFor,
      Collection<L> renewed,
      Deadline deadline) {
    ClaimRecord record = seen.claims().get(index);
    if (record.hasLeft()) {
      return completedFuture(gone(claim));
    }
    boolean isWanted = waitedFor && (record.keepable() || claim.keepable());
    Claim now = isWanted ? claim.keepable(false) : claim; // its client knows with this answer
    return isKept(now, record, seen.epoch(), claim.ttl(), renewed, deadline)
        .thenApply(
            there -> {
              if (!there) {
                return gone(claim);
              }
              if (!now.keepable()) {
                holders.endKeepable(claim);
              }
              return promoted(now, record.place(), seen.revision(), isWanted);
            });
  }

  /** The claim is granted, as {@link HolderWatch#granted} says, and may have waited. */
  Granted promoted(Claim claim, Place place, long revision, boolean isWanted) {
    wakeups.drop(ClaimKey.of(claim));
    return holders.granted(claim, place, revision, isWanted);
  }

  /** The claim waits at this index. */
  public Queued queued(Claim claim, StoredQueue queue, int index) {
    registry.queued(claim, queue.claims().get(index).place());
    wakeups.watch(claim, queue, index);
    if (registry.isEnding(claim)) { // it has left while the answer was on its way
      wakeups.drop(ClaimKey.of(claim));
    }
    return new Queued(index, queue.isBehindKeepable(index));
  }

  /** The claim has ended. */
  public Gone gone(Claim claim) {
    registry.missing(ClaimKey.of(claim));
    drop(claim);
    return Gone.GONE;
  }

  /** Ends the watches of a claim that leaves. */
  public void drop(Claim claim) {
    ClaimKey key = ClaimKey.of(claim);
    wakeups.drop(key);
    holders.drop(key);
  }

  /**
   * Returns whether the claim is there and lasts for its ttl; only its key says that it is not.
   *
   * @param seen the store's epoch when the record was read
   */
  private CompletableFuture<Boolean> isKept(
      Claim claim,
      ClaimRecord record,
      long seen,
      Duration ttl,
      Collection<L> renewed,
      Deadline deadline) {
    String current = record.stored().lease();
    boolean confirmed =
        renewed.stream()
            .anyMatch(
                lease ->
                    lease.id().equals(current)
                        && lease.seconds() == leases.seconds(ttl)
                        && lease.isConfirmedIn(seen));
    return confirmed && format.isUnchanged(record, claim)
        ? completedFuture(!registry.isEnding(claim))
        : move(claim, record, ttl, deadline);
  }

  private CompletableFuture<Boolean> move(
      Claim claim, ClaimRecord record, Duration ttl, Deadline deadline) {
    LeaseClass<L> leaseClass = leases.of(ttl);
    return leaseClass
        .ready(deadline)
        .thenCompose(
            armed -> {
              if (registry.isEnding(claim)) { // on another lease it would outlast its deletion
                return completedFuture(false);
              }
              L lease = armed.lease();
              return LeaseEndedException.otherwise(
                  calls
                      .move(claim, record, ttl, lease, deadline)
                      .thenCombine(
                          armed.renewed(),
                          (now, alive) ->
                              alive
                                  ? isMoved(claim, now, ttl, lease, deadline)
                                  : look(claim, record, ttl, deadline))
                      .thenCompose(moved -> moved),
                  deadline,
                  () -> {
                    leaseClass.ended(lease);
                    return move(claim, record, ttl, deadline);
                  });
            });
  }

  private CompletableFuture<Boolean> isMoved(
      Claim claim, StoredQueue now, Duration ttl, L lease, Deadline deadline) {
    if (now.isEmpty()) {
      return completedFuture(false);
    }
    return now.head().stored().lease().equals(lease.id())
        ? isKept(claim, now.head(), now.epoch(), ttl, List.of(lease), deadline)
        : CompletableFuture.failedFuture(overtaken(claim));
  }

  /** The lease may have ended meanwhile, and the key with it. */
  private CompletableFuture<Boolean> look(
      Claim claim, ClaimRecord record, Duration ttl, Deadline deadline) {
    return calls
        .read(List.of(new KeyCalls.Look(claim.lock(), record.stored().key())), deadline)
        .thenCompose(
            found -> {
              StoredQueue own = found.get(0).get();
              return own.isEmpty()
                  ? completedFuture(false)
                  : isKept(claim, own.head(), own.epoch(), ttl, List.of(), deadline);
            });
  }

  /** A later request for the same claim was faster, and may have found it granted. */
  private static StoreException overtaken(Claim claim) {
    return new StoreException(
        claim.lock(), "'" + claim.lock() + "' was renewed by a later request meanwhile");
  }
}
