package dev.holdfast.leased;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.leased.LeaseClasses.LeaseClass;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.PerClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes claims. A live lease does not prove a claim: its key may have been deleted. So the
 * leases are renewed first, each once for all its claims, and then the keys are read, many in one
 * request. A waiter that probably has no claim ahead of it becomes the holder in the same request
 * that checks it.
 *
 * <p>Thread-safe.
 *
 * @param <L> the store's leases
 */
final class Renewal<L extends KeptLease> {

  private final KeyCalls<L> calls;
  private final LeaseClasses<L> leases;
  private final ClaimRegistry registry;
  private final Wakeups wakeups;
  private final HolderWatch holders;
  private final Standings<L> standings;

  Renewal(
      KeyCalls<L> calls,
      LeaseClasses<L> leases,
      ClaimRegistry registry,
      Wakeups wakeups,
      HolderWatch holders,
      Standings<L> standings) {
    this.calls = calls;
    this.leases = leases;
    this.registry = registry;
    this.wakeups = wakeups;
    this.holders = holders;
    this.standings = standings;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims, Deadline deadline) {
    claims.forEach(claim -> registry.renewing(claim, deadline));
    List<Claim> next = new ArrayList<>();
    List<Claim> others = new ArrayList<>();
    claims.forEach(claim -> (wakeups.next(claim) == null ? others : next).add(claim));
    CompletableFuture<Map<Claim, Standing>> answers =
        PerClaim.STANDINGS.each(next, claim -> promote(claim, deadline));
    return others.isEmpty() ? answers : answers.thenCombine(read(others, deadline), PerClaim::both);
  }

  /** Makes a waiter the holder if no claim is ahead of it. */
  private CompletableFuture<Standing> promote(Claim claim, Deadline deadline) {
    ClaimRecord record = wakeups.next(claim);
    if (record == null || registry.isEnding(claim)) { // on another lease it would outlast its end
      return look(claim, deadline);
    }
    LeaseClass<L> leaseClass = leases.of(claim.ttl());
    return leaseClass
        .renewed(deadline)
        .thenCompose(
            lease -> {
              CompletableFuture<KeyCalls.Promotion> request =
                  calls.promote(claim, record, lease, deadline);
              return request == null
                  ? look(claim, deadline)
                  : LeaseEndedException.otherwise(
                      request.thenCompose(
                          answer -> promoted(claim, record, lease, answer, deadline)),
                      deadline,
                      () -> {
                        leaseClass.ended(lease);
                        return look(claim, deadline);
                      });
            });
  }

  private CompletableFuture<Standing> promoted(
      Claim claim, ClaimRecord record, L lease, KeyCalls.Promotion answer, Deadline deadline) {
    StoredQueue queue = answer.queue();
    if (!answer.granted()) {
      return standings.settle(claim, queue, List.of(lease), deadline);
    }
    return lease.isConfirmedIn(queue.epoch()) && !registry.isEnding(claim)
        ? completedFuture(
            standings.promoted(claim, record.place(), queue.revision(), answer.wanted()))
        : look(claim, deadline);
  }

  private CompletableFuture<Standing> look(Claim claim, Deadline deadline) {
    return renewed(List.of(claim), deadline)
        .thenCompose(
            renewed ->
                calls
                    .read(List.of(new KeyCalls.Look(claim.lock(), null)), deadline)
                    .thenCompose(
                        found -> standings.settle(claim, found.get(0).get(), renewed, deadline)));
  }

  private CompletableFuture<Map<Claim, Standing>> read(List<Claim> claims, Deadline deadline) {
    CompletableFuture<List<L>> renewed = renewed(claims, deadline);
    return PerClaim.STANDINGS.inChunks(
        claims,
        calls.readsAtOnce(),
        chunk -> renewed.thenCompose(leased -> read(chunk, leased, deadline)));
  }

  /** The leases that these claims should be on. Where there is none, the claim has to move. */
  private CompletableFuture<List<L>> renewed(List<Claim> claims, Deadline deadline) {
    Set<Duration> ttls = new HashSet<>();
    claims.forEach(
        claim -> ttls.add(registry.grantedPlace(claim) == null ? claim.waitingTtl() : claim.ttl()));
    return leases.renewedIfKept(ttls, deadline);
  }

  private CompletableFuture<Map<Claim, Standing>> read(
      List<Claim> claims, List<L> renewed, Deadline deadline) {
    List<@Nullable Place> held = new ArrayList<>();
    List<KeyCalls.Look> looks = new ArrayList<>();
    for (Claim claim : claims) {
      Place place = registry.grantedPlace(claim);
      held.add(place);
      String key =
          place == null || claim.keepable() || holders.isKeepable(claim) ? null : place.key();
      looks.add(new KeyCalls.Look(claim.lock(), key));
    }
    return calls
        .read(looks, deadline)
        .thenCompose(
            found -> {
              List<Integer> numbers = new ArrayList<>();
              claims.forEach(claim -> numbers.add(numbers.size()));
              return new PerClaim<Integer, Standing>(claims::get, Unknown::new)
                  .each(
                      numbers,
                      number ->
                          settle(
                              claims.get(number),
                              held.get(number),
                              found.get(number),
                              renewed,
                              deadline));
            });
  }

  private CompletableFuture<Standing> settle(
      Claim claim,
      @Nullable Place held,
      Supplier<StoredQueue> found,
      List<L> renewed,
      Deadline deadline) {
    if (held == null) {
      return standings.settle(claim, found.get(), renewed, deadline);
    }
    StoredQueue seen;
    try {
      seen = found.get();
    } catch (UnreadableRecordException unreadable) {
      return readAlone(claim, held, renewed, deadline);
    }
    int index = seen.indexOf(held);
    return index < 0
        ? missing(claim, held, deadline)
        : standings.hold(claim, seen, index, seen.isWaitedFor(), renewed, deadline);
  }

  /** What others have written that cannot be read must not end a claim: one of them waits. */
  private CompletableFuture<Standing> readAlone(
      Claim claim, Place held, List<L> renewed, Deadline deadline) {
    return calls
        .read(List.of(new KeyCalls.Look(claim.lock(), held.key())), deadline)
        .thenCompose(
            found -> {
              StoredQueue own = found.get(0).get();
              return own.indexOf(held) < 0
                  ? missing(claim, held, deadline)
                  : standings.hold(claim, own, 0, true, renewed, deadline);
            });
  }

  private CompletableFuture<Standing> missing(Claim claim, Place held, Deadline deadline) {
    if (held.equals(registry.grantedPlace(claim))) {
      return completedFuture(standings.gone(claim));
    }
    return look(claim, deadline); // it has joined again since: the whole queue must be read
  }
}
