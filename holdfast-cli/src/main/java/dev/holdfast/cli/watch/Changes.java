package dev.holdfast.cli.watch;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What has changed between two listings of a store. A holder is identified by its token, which no
 * two grants share; a waiter has none yet, and is identified by its owner.
 */
final class Changes {

  /**
   * One change.
   *
   * @param event {@code ended} or {@code left} for a holder or waiter that is gone, {@code holds}
   *     or {@code waits} for a new one, {@code changed} for a holder that reads from now on, say,
   *     or has published something else
   */
  record Change(String event, String lock, ClaimInfo claim) {}

  private record Holder(String lock, long token) {}

  private record Waiter(String lock, Owner owner) {}

  // Mutable state
  private Map<Holder, ClaimInfo> holders = Map.of();
  private Map<Waiter, List<ClaimInfo>> waiters = Map.of();

  /** Compares with the previous listing; at first, everything is new. */
  List<Change> since(List<LockInfo> locks) {
    Map<Holder, ClaimInfo> holdersNow = new LinkedHashMap<>();
    Map<Waiter, List<ClaimInfo>> waitersNow = new LinkedHashMap<>();
    for (LockInfo lock : locks) {
      for (ClaimInfo claim : lock.holders()) {
        holdersNow.put(new Holder(lock.name(), claim.token()), claim);
      }
      for (ClaimInfo claim : lock.waiters()) {
        Waiter waiter = new Waiter(lock.name(), claim.owner());
        waitersNow.computeIfAbsent(waiter, key -> new ArrayList<>()).add(claim);
      }
    }
    List<Change> changes = new ArrayList<>();
    Map<Waiter, Integer> served = new HashMap<>();
    holders.forEach(
        (holder, claim) -> {
          if (!holdersNow.containsKey(holder)) {
            changes.add(new Change("ended", holder.lock, claim));
          }
        });
    holdersNow.forEach(
        (holder, claim) -> {
          ClaimInfo before = holders.get(holder);
          if (before == null) {
            changes.add(new Change("holds", holder.lock, claim));
            served.merge(new Waiter(holder.lock, claim.owner()), 1, Integer::sum);
          } else if (isDifferent(before, claim)) {
            changes.add(new Change("changed", holder.lock, claim));
          }
        });
    waiters.forEach(
        (waiter, claims) -> {
          // A waiter that got the lock has not left.
          int still = count(waitersNow, waiter) + served.getOrDefault(waiter, 0);
          for (int i = still; i < claims.size(); i++) {
            changes.add(new Change("left", waiter.lock, claims.get(i)));
          }
        });
    waitersNow.forEach(
        (waiter, claims) -> {
          for (int i = count(waiters, waiter); i < claims.size(); i++) {
            changes.add(new Change("waits", waiter.lock, claims.get(i)));
          }
        });
    holders = holdersNow;
    waiters = waitersNow;
    return changes;
  }

  private static boolean isDifferent(ClaimInfo before, ClaimInfo now) {
    return before.mode() != now.mode()
        || before.weight() != now.weight()
        || !Objects.equals(before.value(), now.value());
  }

  private static int count(Map<Waiter, List<ClaimInfo>> claims, Waiter waiter) {
    List<ClaimInfo> found = claims.get(waiter);
    return found == null ? 0 : found.size();
  }
}
