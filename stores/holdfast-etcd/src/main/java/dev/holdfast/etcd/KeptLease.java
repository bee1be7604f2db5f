package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
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
 * Renewing a lease renews all claims on it, so two things follow. Who wants to count from the
 * moment of his call needs a keep-alive that was sent no earlier than the lease's spare time before
 * it. If that is over, one under way does not do, but the next one does, for all who have come
 * meanwhile. And a claim that nobody renews any more would live as long as any other: the audit
 * deletes it.
 *
 * A keep-alive counts in the term in which it was answered: should anything have been written or
 * read in a later one since, whoever answered may not have led any more, and it is sent anew.
 *
 * etcd may renew a lease that is just ending, when it has deleted the keys already and the lease
 * not yet (etcd issue 14758). So a renewal counts only if it was answered before the lease can have
 * ended, reckoned from before the last renewal was sent. Later than that the lease is given up, and
 * whether a claim is still there is for its key to tell.
 */

/** A lease that etcd has granted, and the claims on it. Any threads. */
final class KeptLease {

  private final long id;
  private final long seconds;
  private final Calls calls;
  private final Keys keys;
  private final Roll roll;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private boolean renewing;
  private @Nullable CompletableFuture<Renewal> next;
  private Sent confirmed;
  private Renewal last = new Renewal(true, Long.MAX_VALUE); // granted, by agreement of the majority
  private long audited;

  /**
   * How a renewal went.
   *
   * @param alive whether the lease was there all the time
   * @param term in which it was renewed: of no use if the leader of a later one has written before
   */
  record Renewal(boolean alive, long term) {}

  /**
   * A lease.
   *
   * @param sent when it was asked for
   */
  KeptLease(long id, Sent sent, long seconds, Calls calls, Keys keys, Roll roll, Ticker ticker) {
    this.id = id;
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

  /** Whether it may have ended already, for want of renewal. */
  boolean mayHaveEnded() {
    mutex.lock();
    try {
      return confirmed.age(ticker) >= TimeUnit.SECONDS.toNanos(seconds);
    } finally {
      mutex.unlock();
    }
  }

  /** Renews it, unless it was renewed so recently that the spare time does. */
  CompletableFuture<Renewal> renew(Deadline deadline) {
    mutex.lock();
    try {
      if (isRenewed()) {
        return CompletableFuture.completedFuture(last);
      }
      if (renewing) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        return calls.within(next, "renewal", deadline);
      }
      renewing = true;
    } finally {
      mutex.unlock();
    }
    CompletableFuture<Renewal> result = new CompletableFuture<>();
    send(deadline, result);
    return result;
  }

  private boolean isRenewed() {
    return confirmed.age(ticker) <= Leases.SPARE.toNanos() && last.term >= calls.term();
  }

  private void send(Deadline deadline, CompletableFuture<Renewal> result) {
    Sent sent = Sent.now(ticker);
    var unused =
        calls
            .keepAlive(id, deadline)
            .whenComplete(
                (answer, failure) -> {
                  Renewal renewal = failure == null ? renewal(answer, sent) : null;
                  CompletableFuture<Renewal> waiting = sent();
                  if (renewal == null) {
                    result.completeExceptionally(failure);
                  } else {
                    result.complete(renewal);
                  }
                  if (waiting != null) {
                    send(calls.deadline(), waiting);
                  }
                  if (renewal != null && renewal.alive) {
                    audit();
                  }
                });
  }

  private Renewal renewal(LeaseKeepAliveResponse answer, Sent sent) {
    long term = answer.getHeader().getRaftTerm();
    mutex.lock();
    try {
      if (answer.getTTL() <= 0 || mayHaveEnded()) {
        return new Renewal(false, term);
      }
      confirmed = sent;
      last = new Renewal(true, term);
      return last;
    } finally {
      mutex.unlock();
    }
  }

  /** Those who wait for the next keep-alive, which is under way from now on; or null. */
  private @Nullable CompletableFuture<Renewal> sent() {
    mutex.lock();
    try {
      CompletableFuture<Renewal> waiting = next;
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
