package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Renewal. A live lease does not prove a claim: its key may have been deleted. So the keys are read
 * first, a hundred in one request and by agreement of the members, and then the lease is renewed,
 * once for all of them.
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

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims) {
    Deadline deadline = calls.deadline();
    claims.forEach(claim -> roll.call(keys.claim(claim)));
    CompletableFuture<Map<Claim, Standing>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    for (List<Claim> chunk : Chunks.of(claims)) {
      all = all.thenCombine(chunk(chunk, deadline), Refreshing::plus);
    }
    return all;
  }

  private CompletableFuture<Map<Claim, Standing>> chunk(List<Claim> claims, Deadline deadline) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Claim claim : claims) {
      ByteString key = keys.claim(claim);
      txn.addSuccess(
          roll.isGranted(key)
              ? Ops.get(key)
              : Ops.get(keys.first(claim.lock()), keys.after(claim.lock())));
    }
    return calls
        .txn("renewal", claims.get(0).lock(), txn.build(), deadline)
        .thenCompose(read -> settle(claims, read, deadline))
        .exceptionally(
            failure -> {
              Map<Claim, Standing> unknown = new HashMap<>();
              claims.forEach(claim -> unknown.put(claim, new Unknown(Failures.cause(failure))));
              return unknown;
            });
  }

  private CompletableFuture<Map<Claim, Standing>> settle(
      List<Claim> claims, TxnResponse read, Deadline deadline) {
    CompletableFuture<Map<Claim, Standing>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      RangeResponse range = read.getResponses(i).getResponseRange();
      CompletableFuture<Standing> standing =
          settle(claim, range, read.getHeader().getRevision(), deadline)
              .exceptionally(failure -> new Unknown(Failures.cause(failure)));
      all = all.thenCombine(standing, (map, one) -> plus(map, Map.of(claim, one)));
    }
    return all;
  }

  private CompletableFuture<Standing> settle(
      Claim claim, RangeResponse range, long revision, Deadline deadline) {
    if (roll.isGranted(keys.claim(claim)) && range.getKvsCount() == 1) {
      Entry entry = Entry.of(range.getKvs(0));
      if (entry.key().equals(keys.claim(claim))) {
        return settling.hold(claim, entry, deadline);
      }
    }
    return settling.settle(claim, Queue.of(range, revision), deadline);
  }

  private static Map<Claim, Standing> plus(Map<Claim, Standing> map, Map<Claim, Standing> more) {
    map.putAll(more);
    return map;
  }
}
