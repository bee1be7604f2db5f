package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** How claims leave: their keys are deleted, and a tombstone keeps a late join out. */
final class Leaving {

  private static final int OPERATIONS_EACH = 4;

  private final Calls calls;
  private final Keys keys;
  private final Sessions sessions;
  private final Roll roll;
  private final Hints hints;
  private final Joining joining;

  Leaving(Calls calls, Keys keys, Sessions sessions, Roll roll, Hints hints, Joining joining) {
    this.calls = calls;
    this.keys = keys;
    this.sessions = sessions;
    this.roll = roll;
    this.hints = hints;
    this.joining = joining;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    Map<Claim, Boolean> buried = new HashMap<>();
    for (Departure departure : departures) {
      if (!departure.linger().isZero()) {
        throw new UnsupportedOperationException(
            "Consul cannot keep '" + departure.claim().lock() + "' taken after its holder left");
      }
      hints.drop(keys.claim(departure.claim()));
      buried.put(departure.claim(), departure.tombstone());
    }
    return Batches.inParts(
        buried.keySet(),
        Txn.MOST / OPERATIONS_EACH,
        claims ->
            end(claims, buried, deadline)
                .exceptionally(
                    failure -> {
                      Map<Claim, Left> unknown = new HashMap<>();
                      claims.forEach(claim -> unknown.put(claim, Left.UNKNOWN));
                      return unknown;
                    }));
  }

  private CompletableFuture<Map<Claim, Left>> end(
      List<Claim> claims, Map<Claim, Boolean> buried, Deadline deadline) {
    List<Claim> late = claims.stream().filter(buried::get).toList();
    return late.isEmpty()
        ? end(claims, buried, "", deadline)
        : calls
            .within(joining.giveUp(late), "release", deadline)
            .thenCompose(given -> bury(claims, buried, deadline));
  }

  // Who gives up soon has often not been sent yet: then there is nothing to end.
  private CompletableFuture<Map<Claim, Left>> bury(
      List<Claim> claims, Map<Claim, Boolean> buried, Deadline deadline) {
    Map<Claim, Left> unsent = new HashMap<>();
    for (Claim claim : claims) {
      if (buried.getOrDefault(claim, false) && roll.strikeUnsent(keys.claim(claim))) {
        unsent.put(claim, Left.GONE);
      }
    }
    List<Claim> others = claims.stream().filter(claim -> !unsent.containsKey(claim)).toList();
    if (others.isEmpty()) {
      return CompletableFuture.completedFuture(unsent);
    }
    Duration longest =
        others.stream().map(Claim::ttl).max(Duration::compareTo).orElse(Duration.ZERO);
    return sessions
        .turnAwayDoubtful(deadline)
        .thenCompose(done -> sessions.graveyard(longest, deadline))
        .thenCompose(graveyard -> end(others, buried, graveyard, deadline))
        .thenApply(
            answers -> {
              answers.putAll(unsent);
              return answers;
            });
  }

  private CompletableFuture<Map<Claim, Left>> end(
      List<Claim> claims, Map<Claim, Boolean> buried, String graveyard, Deadline deadline) {
    return calls
        .txn("release", claims.get(0).lock(), ending(claims, buried, graveyard), deadline)
        .thenApply(done -> left(claims, done));
  }

  private Txn ending(List<Claim> claims, Map<Claim, Boolean> buried, String graveyard) {
    Txn txn = new Txn();
    for (Claim claim : claims) {
      txn.read(keys.claim(claim)).delete(keys.claim(claim));
      if (buried.getOrDefault(claim, false)) {
        String tombstone = keys.tombstone(claim);
        txn.delete(tombstone).lock(tombstone, graveyard, "1"); // an older one has an older session
      }
    }
    return txn;
  }

  private Map<Claim, Left> left(List<Claim> claims, Done done) {
    Set<String> there = new HashSet<>();
    done.found().forEach(stored -> there.add(stored.key()));
    Map<Claim, Left> answers = new HashMap<>();
    for (Claim claim : claims) {
      String key = keys.claim(claim);
      if (!done.tookEffect()) {
        sessions.leaveGraveyards();
        answers.put(claim, Left.UNKNOWN);
      } else {
        roll.strike(key);
        answers.put(claim, there.contains(key) ? Left.LEFT : missing(done));
      }
    }
    return answers;
  }

  /** It has ended; but perhaps by this very request, when it was sent for the first time. */
  private static Left missing(Done done) {
    return done.repeated() ? Left.UNKNOWN : Left.GONE;
  }
}
