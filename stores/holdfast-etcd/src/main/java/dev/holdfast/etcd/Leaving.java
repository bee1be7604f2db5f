package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import io.etcd.jetcd.api.RangeRequest;
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
 * How claims leave. A claim has left when its key is deleted, or has a tombstone: that keeps a late
 * join out, and marks a key that lingers.
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

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures) {
    Deadline deadline = calls.deadline();
    List<Departure> plain = new ArrayList<>();
    CompletableFuture<Map<Claim, Left>> all = CompletableFuture.completedFuture(new HashMap<>());
    for (Departure asked : departures) {
      ByteString key = keys.claim(asked.claim());
      Departure departure = roll.leave(key) ? buried(asked) : asked;
      hints.drop(key); // after that: an answer that is on its way watches nothing any more
      grants.drop(key);
      if (departure.linger().isZero()) {
        plain.add(departure);
      } else {
        all =
            all.thenCombine(answered(List.of(departure), linger(departure, deadline)), this::plus);
      }
    }
    for (List<Departure> chunk : Chunks.of(plain)) {
      all = all.thenCombine(answered(chunk, end(chunk, deadline)), this::plus);
    }
    return all;
  }

  private static Departure buried(Departure departure) {
    return new Departure(departure.claim(), departure.linger(), true);
  }

  private CompletableFuture<Map<Claim, Left>> end(List<Departure> chunk, Deadline deadline) {
    Duration longest =
        chunk.stream()
            .filter(Departure::tombstone)
            .map(this::mourning)
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    if (longest.isZero()) {
      return end(chunk, 0, deadline);
    }
    return graveyard
        .lease(longest, deadline)
        .thenCompose(
            lease ->
                Failures.orIfLeaseGone(
                    end(chunk, lease, deadline),
                    deadline,
                    () -> {
                      graveyard.ended(lease);
                      return end(chunk, deadline);
                    }));
  }

  /**
   * A join is sent again for as long as an operation may take; and then some member may be slow.
   */
  private Duration mourning(Departure departure) {
    Duration ttl = departure.claim().ttl();
    return ttl.plus(ttl.compareTo(calls.timeout()) < 0 ? calls.timeout() : ttl);
  }

  private CompletableFuture<Map<Claim, Left>> end(
      List<Departure> chunk, long tombstones, Deadline deadline) {
    Repeats repeats = new Repeats();
    return calls
        .txn("release", lock(chunk), ending(chunk, tombstones), deadline, repeats)
        .thenApply(done -> left(chunk, done, repeats));
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

  private TxnRequest ending(List<Departure> chunk, long tombstones) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Departure departure : chunk) {
      ByteString tombstone = keys.tombstone(departure.claim());
      TxnRequest.Builder one =
          TxnRequest.newBuilder()
              .addCompare(Ops.createdAt(tombstone, 0))
              .addSuccess(Ops.delete(keys.claim(departure.claim())));
      if (departure.tombstone()) {
        one.addSuccess(Ops.put(tombstone, ByteString.EMPTY, tombstones));
      }
      txn.addSuccess(Ops.nested(one));
    }
    return txn.build();
  }

  private static Map<Claim, Left> left(List<Departure> chunk, TxnResponse done, Repeats repeats) {
    Map<Claim, Left> answers = new HashMap<>();
    for (int i = 0; i < chunk.size(); i++) {
      TxnResponse one = done.getResponses(i).getResponseTxn();
      boolean deleted =
          one.getSucceeded() && one.getResponses(0).getResponseDeleteRange().getDeleted() > 0;
      answers.put(chunk.get(i).claim(), deleted ? Left.LEFT : repeats.orGone());
    }
    return answers;
  }

  private CompletableFuture<Map<Claim, Left>> linger(Departure departure, Deadline deadline) {
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
              Queue queue = Queue.of(found, found.getHeader().getRevision());
              int index = queue.indexOf(keys.claim(claim));
              return index < 0 || index >= queue.admitted()
                  ? end(List.of(departure), deadline)
                  : stay(departure, queue.entries().get(index), deadline);
            });
  }

  private CompletableFuture<Map<Claim, Left>> stay(
      Departure departure, Entry entry, Deadline deadline) {
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
              boolean stays = done.getSucceeded() || (repeats.any && isLeft(done));
              return Map.of(claim, stays ? Left.LEFT : repeats.orGone());
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

  private static boolean isLeft(TxnResponse refused) {
    return refused.getResponses(0).getResponseRange().getKvsList().stream()
        .anyMatch(stored -> Entry.of(stored).left());
  }

  private CompletableFuture<Map<Claim, Left>> answered(
      List<Departure> departures, CompletableFuture<Map<Claim, Left>> step) {
    return step.exceptionally(
            failure -> {
              Map<Claim, Left> unknown = new HashMap<>();
              departures.forEach(departure -> unknown.put(departure.claim(), Left.UNKNOWN));
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
      roll.left(keys.claim(claim));
    }
  }

  private Map<Claim, Left> plus(Map<Claim, Left> map, Map<Claim, Left> more) {
    map.putAll(more);
    return map;
  }

  private static String lock(List<Departure> chunk) {
    return chunk.get(0).claim().lock();
  }
}
