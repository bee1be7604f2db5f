package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Renewing a lease renews all claims on it, so two things follow. An operation that counts from the
 * moment of its call needs a keep-alive that was sent no earlier than the lease's spare time before
 * it. If that is over, one under way does not do, but the next one does, for all that have come
 * meanwhile. And a claim that nobody renews any more would live as long as any other: the audit
 * deletes it.
 *
 * etcd may renew a lease that is just ending, when it has deleted the keys already and the lease
 * not yet (etcd issue 14758). So a renewal counts only if it was answered before the lease can have
 * ended, reckoned from before the last renewal was sent. Later than that the lease is given up, and
 * whether a claim is still there is for its key to tell.
 */

/** A lease that etcd has granted, and the claims on it. Thread-safe. */
final class KeptLease {

  private final long id;
  private final long term;
  private final long seconds;
  private final Calls calls;
  private final Keys keys;
  private final Roll roll;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private boolean renewing;
  private @Nullable CompletableFuture<Boolean> next;
  private Sent confirmed;
  private long audited;

  /**
   * A lease.
   *
   * @param term no leader of an earlier one knows it
   * @param sent when it was asked for
   */
  KeptLease(
      long id,
      long term,
      Sent sent,
      long seconds,
      Calls calls,
      Keys keys,
      Roll roll,
      Ticker ticker) {
    this.id = id;
    this.term = term;
    this.keys = keys;
    this.confirmed = sent;
    this.seconds = seconds;
    this.calls = calls;
    this.roll = roll;
    this.ticker = ticker;
    this.audited = ticker.nanoTime();
  }

  long id() {
    return id;
  }

  long term() {
    return term;
  }

  /** Whether it may have ended already, for want of renewal. */
  boolean mayHaveEnded() {
    mutex.lock();
    try {
      return confirmed.age(ticker) >= TimeUnit.SECONDS.toNanos(seconds);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Renews it, unless it was renewed so recently that the spare time does.
   *
   * @return whether it was there all the time
   */
  CompletableFuture<Boolean> renew(Deadline deadline) {
    mutex.lock();
    try {
      if (isRenewed()) {
        return CompletableFuture.completedFuture(true);
      }
      if (renewing) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return Failures.orIfSilent(
            calls.within(next, "renewal", deadline), deadline, () -> renew(deadline));
      }
      renewing = true;
    } finally {
      mutex.unlock();
    }
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    send(deadline, result);
    return result;
  }

  private boolean isRenewed() {
    return confirmed.age(ticker) <= Leases.SPARE.toNanos();
  }

  private void send(Deadline deadline, CompletableFuture<Boolean> result) {
    Sent sent = Sent.now(ticker);
    var unused =
        calls
            .keepAlive(id, deadline)
            .whenComplete(
                (answer, failure) -> {
                  boolean alive = failure == null && isAlive(answer, sent);
                  CompletableFuture<Boolean> waiting = sent();
                  if (failure == null) {
                    result.complete(alive);
                  } else {
                    result.completeExceptionally(failure);
                  }
                  if (waiting != null) {
                    send(calls.deadline(), waiting);
                  }
                  if (alive) {
                    audit();
                  }
                });
  }

  private boolean isAlive(LeaseKeepAliveResponse answer, Sent sent) {
    mutex.lock();
    try {
      if (answer.getTTL() <= 0 || mayHaveEnded()) {
        return false;
      }
      confirmed = sent;
      return true;
    } finally {
      mutex.unlock();
    }
  }

  /** Those who wait for the next keep-alive, which is under way from now on; or null. */
  private @Nullable CompletableFuture<Boolean> sent() {
    mutex.lock();
    try {
      CompletableFuture<Boolean> waiting = next;
      next = null;
      renewing = waiting != null;
      return waiting;
    } finally {
      mutex.unlock();
    }
  }

  private void audit() {
    long now = ticker.nanoTime();
    mutex.lock();
    try {
      if (now - audited < TimeUnit.SECONDS.toNanos(seconds)) {
        return;
      }
      audited = now;
    } finally {
      mutex.unlock();
    }
    roll.sweep();
    Deadline deadline = calls.deadline();
    var unused =
        calls.timeToLive(id, true, deadline).thenAccept(found -> deleteStrangers(found, deadline));
  }

  private void deleteStrangers(LeaseTimeToLiveResponse found, Deadline deadline) {
    for (List<ByteString> chunk : Chunks.of(roll.strangers(found.getKeysList(), seconds))) {
      TxnRequest.Builder read = TxnRequest.newBuilder();
      chunk.forEach(key -> read.addSuccess(Ops.get(key)));
      var unused =
          calls
              .txn("clean-up", "", read.build(), deadline)
              .thenAccept(now -> delete(condemned(now), deadline));
    }
  }

  /** Spares what another client has taken over, and so put on a lease of its own, at any time. */
  private List<Entry> condemned(TxnResponse read) {
    return read.getResponsesList().stream()
        .flatMap(one -> one.getResponseRange().getKvsList().stream())
        .filter(stored -> stored.getLease() == id) // others need not be readable
        .map(Entry::of)
        .filter(entry -> roll.condemn(keys.claim(entry), seconds))
        .toList();
  }

  private void delete(List<Entry> condemned, Deadline deadline) {
    if (condemned.isEmpty()) {
      return;
    }
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Entry entry : condemned) {
      txn.addSuccess(
          Ops.nested(
              TxnRequest.newBuilder()
                  .addCompare(Ops.modifiedAt(entry.key(), entry.modified()))
                  .addSuccess(Ops.delete(entry.key()))));
    }
    var unused =
        calls
            .txn("clean-up", "", txn.build(), deadline)
            .thenAccept(done -> condemned.forEach(entry -> roll.strike(keys.claim(entry))));
  }
}
