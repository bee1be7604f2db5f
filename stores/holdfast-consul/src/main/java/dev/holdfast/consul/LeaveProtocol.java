package dev.holdfast.consul;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.consul.Sessions.Session;
import dev.holdfast.leased.ClaimRegistry;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.Standings;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.support.PerClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Ends claims: deletes their keys, with a tombstone if a join may come late. Thread-safe. */
final class LeaveProtocol {

  private static final int OPERATIONS_EACH = 4;

  private final ConsulClient client;
  private final KeyPaths paths;
  private final Sessions sessions;
  private final ClaimRegistry registry;
  private final Standings<Session> standings;
  private final JoinProtocol joins;

  LeaveProtocol(StoreParts parts, Standings<Session> standings, JoinProtocol joins) {
    this.client = parts.client();
    this.paths = parts.paths();
    this.sessions = parts.sessions();
    this.registry = parts.registry();
    this.standings = standings;
    this.joins = joins;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    for (Departure departure : departures) {
      if (!departure.linger().isZero()) {
        throw new UnsupportedOperationException(
            "Consul cannot keep '" + departure.claim().lock() + "' taken after its holder left");
      }
      standings.drop(departure.claim());
    }
    return PerClaim.DEPARTURES.inChunks(
        departures,
        Transaction.MAX_OPERATIONS / OPERATIONS_EACH,
        chunk -> {
          List<Claim> late =
              chunk.stream().filter(Departure::tombstone).map(Departure::claim).toList();
          return late.isEmpty()
              ? end(chunk, "", deadline)
              : client
                  .failures()
                  .within(joins.giveUp(late), "release", deadline)
                  .thenCompose(none -> endWithTombstones(chunk, deadline));
        });
  }

  private CompletableFuture<Map<Claim, Left>> endWithTombstones(
      List<Departure> departures, Deadline deadline) {
    // A join that is given up early has often not been sent: then there is nothing to end.
    Map<Claim, Left> unsent = new HashMap<>();
    List<Departure> others = new ArrayList<>();
    for (Departure departure : departures) {
      if (departure.tombstone() && joins.removeUnsent(departure.claim())) {
        unsent.put(departure.claim(), Left.GONE);
      } else {
        others.add(departure);
      }
    }
    if (others.isEmpty()) {
      return completedFuture(unsent);
    }
    Duration longest = Collections.max(others.stream().map(other -> other.claim().ttl()).toList());
    return sessions
        .refuseUnansweredJoins(deadline)
        .thenCompose(done -> sessions.tombstones.lease(longest, deadline))
        .thenCompose(session -> end(others, session, deadline))
        .thenApply(answers -> PerClaim.both(answers, unsent));
  }

  private CompletableFuture<Map<Claim, Left>> end(
      List<Departure> departures, String tombstoneSession, Deadline deadline) {
    Transaction end = new Transaction();
    for (Departure departure : departures) {
      String key = paths.claim(departure.claim());
      end.read(key).delete(key);
      if (departure.tombstone()) {
        String tombstone = paths.tombstone(departure.claim());
        end.delete(tombstone).lock(tombstone, tombstoneSession, "1"); // may be on an older session
      }
    }
    return client
        .transact("release", departures.get(0).claim().lock(), end, deadline)
        .thenApply(
            result -> {
              if (!result.tookEffect()) {
                sessions.tombstones.ended(tombstoneSession);
              }
              Map<Claim, Left> answers = new HashMap<>();
              departures.forEach(one -> answers.put(one.claim(), answer(one.claim(), result)));
              return answers;
            });
  }

  private Left answer(Claim claim, Transaction.Result result) {
    if (!result.tookEffect()) {
      return Left.UNKNOWN;
    }
    registry.gone(ClaimKey.of(claim));
    if (result.found().stream().anyMatch(stored -> stored.key().equals(paths.claim(claim)))) {
      return Left.LEFT;
    }
    return result.repeated() ? Left.UNKNOWN : Left.GONE; // the first request may have ended it
  }
}
