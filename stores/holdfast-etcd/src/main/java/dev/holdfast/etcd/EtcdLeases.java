package dev.holdfast.etcd;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.KeptLease;
import dev.holdfast.leased.KeptLease.SendTime;
import dev.holdfast.leased.LeaseCalls;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.Chunks;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/*
 * A lease serves for one raft term. A leader that stalls past the end of a lease and is replaced does
 * not know that its successor has renewed it. When it comes back it requests the end of that lease,
 * and the successor carries that out (seen on etcd 3.4.23 and 3.5.16). It cannot know leases that
 * were granted after its term. So:
 *
 *   1. A lease belongs to the term that was known before it was requested: it is granted in that
 *      term or a later one, and no leader of an earlier term will ever end it.
 *   2. A renewal counts if the leader of that same term made it: that leader will not end the lease
 *      before it has run out, whatever happens to it. The answer to a keep-alive does not say which
 *      leader made it: a member fills in its own term before it asks the leader. But a read or write
 *      by agreement of the majority after that answers with at least the term of that leader. So
 *      claims are put on a lease, or seen on it, by a request that is sent after the renewal; and if
 *      its answer is of another term than the lease, nothing is confirmed.
 *   3. Once a later term is known there is another lease, and each claim moves to it when it is
 *      renewed. Claims that are not moved end with the old lease, which is not renewed any more.
 *
 * Leases that are never renewed, those of tombstones and of claims that linger, need none of this:
 * no leader ends them before the time for which they were granted.
 */

/**
 * Opens leases, and audits them: claims that are not renewed any more are deleted, for their lease
 * lives on for the sake of others. Each lease is audited once in its time. Thread-safe.
 */
final class EtcdLeases implements LeaseCalls<EtcdLeases.EtcdLease> {

  /** By how much a lease outlasts the ttl of its claims. */
  static final Duration SPARE = Duration.ofSeconds(1);

  private static final String VERB = "clean-up";

  private final EtcdKeyCalls keyCalls;
  private final Calls calls;

  EtcdLeases(EtcdKeyCalls keyCalls) {
    this.keyCalls = keyCalls;
    this.calls = keyCalls.calls;
  }

  @Override
  public CompletableFuture<EtcdLease> open(long seconds, Deadline deadline) {
    SendTime sent = SendTime.now(calls.ticker);
    // Before it is sent: by its answer there may be a later one. Never 0, which a member reports
    // that
    // has just started: it confirms nothing.
    long term = Math.max(1, calls.term.get());
    return calls
        .grant(seconds, deadline)
        .thenApply(granted -> new EtcdLease(granted.getID(), seconds, term, sent));
  }

  private void deleteUnclaimed(EtcdLease lease, LeaseTimeToLiveResponse found, Deadline deadline) {
    List<String> on = found.getKeysList().stream().map(key -> key.toStringUtf8()).toList();
    for (List<String> chunk : Chunks.of(keyCalls.registry.unclaimed(on), Keys.MOST)) {
      TxnRequest.Builder read = TxnRequest.newBuilder();
      chunk.forEach(key -> read.addSuccess(Keys.get(Keys.bytes(key))));
      var unused =
          calls
              .txn(new Purpose(VERB, "", deadline, false), read.build())
              .thenAccept(now -> deleteExpired(lease, now, deadline));
    }
  }

  /** Spares what another client has taken over, and so put on its own lease, at any time. */
  private void deleteExpired(EtcdLease lease, TxnResponse read, Deadline deadline) {
    Map<StoredKey, ClaimKey> expired = new HashMap<>();
    read.getResponsesList().stream()
        .flatMap(one -> one.getResponseRange().getKvsList().stream())
        .map(Keys::stored)
        .filter(stored -> stored.lease().equals(lease.id())) // others need not be readable
        .forEach(stored -> expired.put(stored, keyCalls.claim(stored)));
    expired.values().removeIf(claim -> !keyCalls.registry.expire(claim));
    var unused =
        keyCalls
            .removeEach(VERB, "", expired.keySet().stream().map(Keys::isUnchanged), deadline)
            .thenAccept(done -> expired.values().forEach(keyCalls.registry::gone));
  }

  /** A lease that claims share. Thread-safe. */
  final class EtcdLease extends KeptLease {

    /** etcd's own name for it. */
    final long number;

    private EtcdLease(long number, long seconds, long term, SendTime sent) {
      super(Long.toString(number), seconds, term, sent, calls.ticker, calls.failures);
      this.number = number;
    }

    @Override
    protected CompletableFuture<Boolean> askToRenew(Deadline deadline) {
      return calls.keepAlive(number, deadline).thenApply(answer -> answer.getTTL() > 0);
    }

    @Override
    protected void audit() {
      keyCalls.registry.sweep();
      Deadline deadline = calls.deadline();
      var unused =
          calls
              .timeToLive(number, true, deadline)
              .thenAccept(found -> deleteUnclaimed(this, found, deadline));
    }
  }
}
