package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * How claims leave. A claim has left when its seat is free, or when it has a tombstone and its
 * record says so: it lingers. A tombstone keeps a late join out.
 */
final class Leaving {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Graveyard graveyard;
  private final Roll roll;
  private final Hints hints;
  private final Grants grants;

  Leaving(
      Calls calls,
      Keys keys,
      Leases leases,
      Graveyard graveyard,
      Roll roll,
      Hints hints,
      Grants grants) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.graveyard = graveyard;
    this.roll = roll;
    this.hints = hints;
    this.grants = grants;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    List<Seated> plain = new ArrayList<>();
    CompletableFuture<Map<Claim, Left>> all = CompletableFuture.completedFuture(new HashMap<>());
    for (Departure asked : departures) {
      Claim claim = asked.claim();
      Departure departure = roll.leave(claim) ? buried(asked) : asked;
      Seat seat = roll.seat(claim);
      hints.drop(claim); // after that: an answer that is on its way watches nothing any more
      grants.drop(claim);
      if (departure.linger().isZero() && !departure.tombstone() && seat != null) {
        plain.add(new Seated(claim, seat));
      } else {
        CompletableFuture<Map<Claim, Left>> left =
            (departure.linger().isZero() ? end(departure, deadline) : linger(departure, deadline))
                .thenApply(how -> Map.of(claim, how));
        all = all.thenCombine(answered(List.of(claim), left), this::plus);
      }
    }
    for (List<Seated> chunk : Chunks.of(plain)) {
      List<Claim> claims = chunk.stream().map(Seated::claim).toList();
      all = all.thenCombine(answered(claims, end(chunk, deadline)), this::plus);
    }
    return all;
  }

  /** In the background; a tombstone keeps out what may come late. */
  void bury(Departure departure) {
    var unused = leave(List.of(departure), calls.deadline());
  }

  private static Departure buried(Departure departure) {
    return new Departure(departure.claim(), departure.linger(), true);
  }

  /** A claim of which is known where it sits, and that it can sit nowhere else. */
  private record Seated(Claim claim, Seat seat) {}

  /**
   * A join is sent again for as long as an operation may take; and then some member may be slow.
   */
  private Duration mourning(Departure departure) {
    Duration ttl = departure.claim().ttl();
    return ttl.plus(ttl.compareTo(calls.timeout()) < 0 ? calls.timeout() : ttl);
  }

  private CompletableFuture<Map<Claim, Left>> end(List<Seated> chunk, Deadline deadline) {
    Repeats repeats = new Repeats();
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Seated one : chunk) {
      txn.addSuccess(
          Ops.nested(Ops.ending(one.seat).addCompare(Ops.createdAt(keys.tombstone(one.claim), 0))));
    }
    return calls
        .txn("release", chunk.get(0).claim.lock(), txn.build(), deadline, repeats)
        .thenApply(
            done -> {
              Map<Claim, Left> answers = new HashMap<>();
              for (int i = 0; i < chunk.size(); i++) {
                boolean deleted = done.getResponses(i).getResponseTxn().getSucceeded();
                answers.put(chunk.get(i).claim, deleted ? Left.LEFT : repeats.orGone());
              }
              return answers;
            });
  }

  /**
   * For a claim that may be anywhere, and more than once: keeps out what is on its way, if asked,
   * and then ends all that is there.
   */
  private CompletableFuture<Left> end(Departure departure, Deadline deadline) {
    if (!departure.tombstone()) {
      return end(departure, 0, deadline);
    }
    return graveyard
        .lease(mourning(departure), deadline)
        .thenCompose(
            lease ->
                Failures.orIfLeaseGone(
                    end(departure, lease, deadline),
                    deadline,
                    () -> {
                      graveyard.ended(lease);
                      return end(departure, deadline);
                    }));
  }

  private CompletableFuture<Left> end(Departure departure, long grave, Deadline deadline) {
    Claim claim = departure.claim();
    return calls
        .txn("release", claim.lock(), burial(departure, grave), deadline)
        .thenCompose(
            done -> {
              Repeats repeats = new Repeats();
              TxnRequest.Builder ending = TxnRequest.newBuilder();
              done.getResponses(0).getResponseRange().getKvsList().stream()
                  .filter(stored -> Entry.isOf(claim, stored)) // others need not be readable
                  .map(Entry::of)
                  .filter(entry -> entry.id().equals(claim.id()) && !entry.left())
                  .forEach(entry -> ending.addSuccess(Ops.nested(Ops.ending(entry.seat()))));
              return ending.getSuccessCount() == 0
                  ? CompletableFuture.completedFuture(Left.GONE)
                  : calls
                      .txn("release", claim.lock(), ending.build(), deadline, repeats)
                      .thenApply(ended -> ended(ended, repeats));
            });
  }

  private TxnRequest burial(Departure departure, long grave) {
    String lock = departure.claim().lock();
    RequestOp queue = Ops.get(keys.first(lock), keys.after(lock));
    ByteString tombstone = keys.tombstone(departure.claim());
    TxnRequest.Builder txn =
        TxnRequest.newBuilder()
            .addCompare(Ops.createdAt(tombstone, 0))
            .addSuccess(queue)
            .addFailure(queue);
    if (departure.tombstone()) {
      txn.addSuccess(Ops.put(tombstone, ByteString.EMPTY, grave));
    }
    return txn.build();
  }

  private static Left ended(TxnResponse done, Repeats repeats) {
    return done.getResponsesList().stream().anyMatch(one -> one.getResponseTxn().getSucceeded())
        ? Left.LEFT
        : repeats.orGone();
  }

  /** Whether a leave was sent more than once: then what it does not find, it may have ended. */
  private static final class Repeats implements BooleanSupplier {
    private volatile boolean any;

    @Override
    public boolean getAsBoolean() {
      any = true;
      return true;
    }

    Left orGone() {
      return any ? Left.UNKNOWN : Left.GONE;
    }
  }

  private CompletableFuture<Left> linger(Departure departure, Deadline deadline) {
    Claim claim = departure.claim();
    RangeRequest range =
        RangeRequest.newBuilder()
            .setKey(keys.first(claim.lock()))
            .setRangeEnd(keys.after(claim.lock()))
            .build();
    return calls
        .range("release", claim.lock(), range, deadline)
        .thenCompose(
            found -> {
              Queue queue = Queue.of(found, found.getHeader());
              int index = queue.indexOf(claim);
              return index < 0 || index >= queue.admitted()
                  ? end(departure, deadline)
                  : stay(departure, queue.entries().get(index), deadline);
            });
  }

  private CompletableFuture<Left> stay(Departure departure, Entry entry, Deadline deadline) {
    Claim claim = departure.claim();
    Repeats repeats = new Repeats();
    CompletableFuture<Long> lingering = leases.single(departure.linger(), deadline);
    CompletableFuture<Long> grave =
        departure.tombstone()
            ? graveyard.lease(departure.linger().plus(mourning(departure)), deadline)
            : lingering;
    return lingering
        .thenCombine(grave, (lease, tombstone) -> staying(claim, entry, lease, tombstone))
        .thenCompose(txn -> calls.txn("release", claim.lock(), txn, deadline, repeats))
        .thenApply(
            done -> {
              boolean stays = done.getSucceeded() || (repeats.any && isLeft(claim, done));
              return stays ? Left.LEFT : repeats.orGone();
            });
  }

  private TxnRequest staying(Claim claim, Entry entry, long lease, long tombstones) {
    ByteString tombstone = keys.tombstone(claim);
    return TxnRequest.newBuilder()
        .addCompare(Ops.createdAt(tombstone, 0))
        .addCompare(Ops.createdAt(entry.key(), entry.created()))
        .addSuccess(Ops.put(entry.key(), entry.recordLeft(), lease))
        .addSuccess(Ops.put(tombstone, ByteString.EMPTY, tombstones))
        .addFailure(Ops.get(entry.key()))
        .build();
  }

  private static boolean isLeft(Claim claim, TxnResponse refused) {
    return refused.getResponses(0).getResponseRange().getKvsList().stream()
        .anyMatch(stored -> Entry.isOf(claim, stored) && Entry.of(stored).left());
  }

  private CompletableFuture<Map<Claim, Left>> answered(
      List<Claim> claims, CompletableFuture<Map<Claim, Left>> step) {
    return step.exceptionally(
            failure -> {
              Map<Claim, Left> unknown = new HashMap<>();
              claims.forEach(claim -> unknown.put(claim, Left.UNKNOWN));
              return unknown;
            })
        .thenApply(
            answers -> {
              answers.forEach(this::strikeUnlessUnknown);
              return answers;
            });
  }

  private void strikeUnlessUnknown(Claim claim, Left left) {
    if (left != Left.UNKNOWN) {
      roll.left(claim);
    }
  }

  private Map<Claim, Left> plus(Map<Claim, Left> map, Map<Claim, Left> more) {
    map.putAll(more);
    return map;
  }
}
