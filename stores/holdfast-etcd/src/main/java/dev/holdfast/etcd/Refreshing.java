package dev.holdfast.etcd;

import dev.holdfast.etcd.LeaseClass.Armed;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Renewal. A live lease does not prove a claim: its key may have been deleted. So the lease is
 * renewed first, once for all claims, and then the keys are read, a hundred in one request and by
 * agreement of the members. A waiter whose turn has come, by what is heard, takes it in the same
 * request.
 */
final class Refreshing {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Roll roll;
  private final Hints hints;
  private final Settling settling;
  private final Succession succession;

  Refreshing(
      Calls calls,
      Keys keys,
      Leases leases,
      Roll roll,
      Hints hints,
      Settling settling,
      Succession succession) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.hints = hints;
    this.settling = settling;
    this.succession = succession;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims, Deadline deadline) {
    claims.forEach(claim -> roll.call(claim, deadline));
    CompletableFuture<Map<Claim, Standing>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    List<Claim> others = new ArrayList<>();
    for (Claim claim : claims) {
      Entry next = hints.next(claim);
      if (next == null) {
        others.add(claim);
      } else {
        all = all.thenCombine(next(claim, next, deadline), Refreshing::plus);
      }
    }
    CompletableFuture<List<Armed>> armed = armed(others, deadline);
    for (List<Claim> chunk : Chunks.of(others)) {
      all = all.thenCombine(chunk(chunk, armed, deadline), Refreshing::plus);
    }
    return all;
  }

  /** The leases that these claims should be on. Where there is none, the claim has to move. */
  private CompletableFuture<List<Armed>> armed(List<Claim> claims, Deadline deadline) {
    Set<Duration> ttls = new HashSet<>();
    claims.forEach(claim -> ttls.add(roll.held(claim) == null ? claim.waitingTtl() : claim.ttl()));
    return leases.armIfKept(ttls, deadline);
  }

  private CompletableFuture<Map<Claim, Standing>> next(
      Claim claim, Entry entry, Deadline deadline) {
    return succession
        .succeed(claim, entry, deadline, () -> look(claim, deadline))
        .exceptionally(failure -> new Unknown(Failures.cause(failure)))
        .thenApply(standing -> Map.of(claim, standing));
  }

  private CompletableFuture<Standing> look(Claim claim, Deadline deadline) {
    List<Claim> one = List.of(claim);
    return chunk(one, armed(one, deadline), deadline).thenApply(standings -> standings.get(claim));
  }

  private CompletableFuture<Map<Claim, Standing>> chunk(
      List<Claim> claims, CompletableFuture<List<Armed>> armed, Deadline deadline) {
    List<Optional<Seat>> held =
        claims.stream().map(claim -> Optional.ofNullable(roll.held(claim))).toList();
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (int i = 0; i < claims.size(); i++) {
      String lock = claims.get(i).lock();
      txn.addSuccess(
          held.get(i)
              .map(seat -> Ops.get(seat.key()))
              .orElseGet(() -> Ops.get(keys.first(lock), keys.after(lock))));
    }
    return armed
        .thenCompose(
            leased ->
                calls
                    .renewal(claims.get(0).lock(), txn.build(), deadline)
                    .thenCompose(read -> settle(claims, held, read, leased, deadline)))
        .exceptionally(
            failure -> {
              Map<Claim, Standing> unknown = new HashMap<>();
              claims.forEach(claim -> unknown.put(claim, new Unknown(Failures.cause(failure))));
              return unknown;
            });
  }

  private CompletableFuture<Map<Claim, Standing>> settle(
      List<Claim> claims,
      List<Optional<Seat>> held,
      TxnResponse read,
      List<Armed> armed,
      Deadline deadline) {
    CompletableFuture<Map<Claim, Standing>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      Optional<Seat> seat = held.get(i);
      // Parsed in a step of its own: a record that cannot be read is no matter of the other claims.
      CompletableFuture<Standing> standing =
          CompletableFuture.completedFuture(read.getResponses(i).getResponseRange())
              .thenApply(range -> Queue.of(range, read.getHeader()))
              .thenCompose(found -> settle(claim, seat, found, armed, deadline))
              .exceptionally(failure -> new Unknown(Failures.cause(failure)));
      all = all.thenCombine(standing, (map, one) -> plus(map, Map.of(claim, one)));
    }
    return all;
  }

  private CompletableFuture<Standing> settle(
      Claim claim, Optional<Seat> held, Queue found, List<Armed> armed, Deadline deadline) {
    if (held.isEmpty()) {
      return settling.settle(claim, found, armed, deadline);
    }
    if (!found.isEmpty() && found.head().seat().equals(held.get())) {
      return settling.hold(claim, found, found.head(), armed, deadline);
    }
    if (held.get().equals(roll.held(claim))) {
      return CompletableFuture.completedFuture(settling.gone(claim));
    }
    // It has joined again since it was granted: where it stands, the whole queue tells.
    return look(claim, deadline);
  }

  private static Map<Claim, Standing> plus(Map<Claim, Standing> map, Map<Claim, Standing> more) {
    map.putAll(more);
    return map;
  }
}
