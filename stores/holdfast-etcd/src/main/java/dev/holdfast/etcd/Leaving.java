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

/**
 * How claims leave. A claim has left when its key is deleted, or has a tombstone: that keeps a late
 * join out, and marks a key that lingers.
 */
final class Leaving {

  private final Calls calls;
  private final Keys keys;
  private final Leases leases;
  private final Roll roll;
  private final Hints hints;

  Leaving(Calls calls, Keys keys, Leases leases, Roll roll, Hints hints) {
    this.calls = calls;
    this.keys = keys;
    this.leases = leases;
    this.roll = roll;
    this.hints = hints;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures) {
    Deadline deadline = calls.deadline();
    List<Departure> plain = new ArrayList<>();
    CompletableFuture<Map<Claim, Left>> all = CompletableFuture.completedFuture(new HashMap<>());
    for (Departure asked : departures) {
      ByteString key = keys.claim(asked.claim());
      hints.drop(key);
      Departure departure = roll.isDoubtful(key) ? buried(asked) : asked;
      roll.strike(key);
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
            .map(departure -> departure.claim().ttl())
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    CompletableFuture<Long> lease =
        longest.isZero() ? CompletableFuture.completedFuture(0L) : leases.single(longest, deadline);
    return lease
        .thenCompose(id -> calls.txn("release", lock(chunk), ending(chunk, id), deadline))
        .thenApply(done -> left(chunk, done));
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

  private static Map<Claim, Left> left(List<Departure> chunk, TxnResponse done) {
    Map<Claim, Left> answers = new HashMap<>();
    for (int i = 0; i < chunk.size(); i++) {
      TxnResponse one = done.getResponses(i).getResponseTxn();
      boolean deleted =
          one.getSucceeded() && one.getResponses(0).getResponseDeleteRange().getDeleted() > 0;
      answers.put(chunk.get(i).claim(), deleted ? Left.LEFT : Left.GONE);
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
    ByteString tombstone = keys.tombstone(claim);
    return leases
        .single(departure.linger(), deadline)
        .thenCompose(
            lease ->
                calls.txn(
                    "release",
                    claim.lock(),
                    TxnRequest.newBuilder()
                        .addCompare(Ops.createdAt(tombstone, 0))
                        .addCompare(Ops.createdAt(entry.key(), entry.created()))
                        .addSuccess(Ops.put(entry.key(), entry.recordLeft(), lease))
                        .addSuccess(Ops.put(tombstone, ByteString.EMPTY, lease))
                        .build(),
                    deadline))
        .thenApply(done -> Map.of(claim, done.getSucceeded() ? Left.LEFT : Left.GONE));
  }

  private static CompletableFuture<Map<Claim, Left>> answered(
      List<Departure> departures, CompletableFuture<Map<Claim, Left>> step) {
    return step.exceptionally(
        failure -> {
          Map<Claim, Left> unknown = new HashMap<>();
          departures.forEach(departure -> unknown.put(departure.claim(), Left.UNKNOWN));
          return unknown;
        });
  }

  private Map<Claim, Left> plus(Map<Claim, Left> map, Map<Claim, Left> more) {
    map.putAll(more);
    return map;
  }

  private static String lock(List<Departure> chunk) {
    return chunk.get(0).claim().lock();
  }
}
