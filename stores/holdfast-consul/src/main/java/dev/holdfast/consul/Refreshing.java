package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Renewal. A live session does not prove a claim: its key may have been deleted. So the keys are
 * read first, many in one request, from a leader that has made sure it still leads; then the
 * session is renewed, once for all of them.
 */
final class Refreshing {

  private final Calls calls;
  private final Keys keys;
  private final Roll roll;
  private final Settling settling;

  Refreshing(Calls calls, Keys keys, Roll roll, Settling settling) {
    this.calls = calls;
    this.keys = keys;
    this.roll = roll;
    this.settling = settling;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims, Deadline deadline) {
    claims.forEach(claim -> roll.call(keys.claim(claim), claim, deadline));
    return Batches.inParts(claims, Keys.MOST_READS, part -> refresh(part, deadline));
  }

  private CompletableFuture<Map<Claim, Standing>> refresh(List<Claim> claims, Deadline deadline) {
    Set<Claim> granted = new HashSet<>();
    Txn txn = keys.reading();
    for (Claim claim : claims) {
      String key = keys.claim(claim);
      if (roll.isGranted(key)) {
        granted.add(claim);
        txn.read(key);
      } else {
        txn.read(keys.queue(claim.lock()));
      }
    }
    return calls
        .sureTxn("renewal", claims.get(0).lock(), txn, deadline)
        .thenCompose(
            done -> {
              Found found = Found.of(done.found(), keys);
              return Batches.each(
                  claims,
                  claim ->
                      standing(claim, granted.contains(claim), found, deadline)
                          .exceptionally(Refreshing::unknown));
            })
        .exceptionally(
            failure -> {
              Map<Claim, Standing> unknown = new HashMap<>();
              claims.forEach(claim -> unknown.put(claim, unknown(failure)));
              return unknown;
            });
  }

  private CompletableFuture<Standing> standing(
      Claim claim, boolean granted, Found found, Deadline deadline) {
    try {
      if (!granted) {
        return settling.settle(claim, found.queue(claim.lock()), deadline);
      }
      Stored stored = found.key(keys.claim(claim));
      return stored == null
          ? CompletableFuture.completedFuture(settling.gone(claim))
          : settling.hold(claim, Entry.of(stored), deadline);
    } catch (RuntimeException unreadable) { // one bad record must not hide the others
      return CompletableFuture.failedFuture(unreadable);
    }
  }

  private static Standing unknown(Throwable failure) {
    return new Unknown(failure instanceof CompletionException ? failure.getCause() : failure);
  }
}
