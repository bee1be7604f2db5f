package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.TxnRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * One lease carries all claims of one ttl. Renewing it renews them all, so two things follow. Who
 * wants to count from the moment of his call needs a keep-alive that was sent after it: one under
 * way does not do, the next one does, for all who have come meanwhile. And a claim that nobody
 * renews any more would live as long as any other: the audit deletes it.
 */

/** The lease for claims of one ttl. Any threads. */
final class LeaseClass {

  private final long seconds;
  private final Calls calls;
  private final Roll roll;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private @Nullable CompletableFuture<Long> lease;
  private boolean renewing;
  private @Nullable CompletableFuture<Boolean> next;
  private long audited;

  LeaseClass(long seconds, Calls calls, Roll roll, Ticker ticker) {
    this.seconds = seconds;
    this.calls = calls;
    this.roll = roll;
    this.ticker = ticker;
    this.audited = ticker.nanoTime();
  }

  /**
   * A lease that is being renewed.
   *
   * @param renewed whether it was still there, by a keep-alive sent after it was asked for
   */
  record Armed(long id, CompletableFuture<Boolean> renewed) {}

  /** The lease, renewed from now on. */
  CompletableFuture<Armed> arm(Deadline deadline) {
    CompletableFuture<Long> known;
    CompletableFuture<Long> fresh = null;
    mutex.lock();
    try {
      if (lease == null) {
        fresh = new CompletableFuture<>();
        lease = fresh;
      }
      known = lease;
    } finally {
      mutex.unlock();
    }
    if (fresh == null) {
      return known.thenApply(id -> new Armed(id, renew(id, deadline)));
    }
    grant(fresh, deadline);
    return fresh.thenApply(id -> new Armed(id, CompletableFuture.completedFuture(true)));
  }

  /** Puts this lease out of use: it has ended. */
  void ended(long id) {
    mutex.lock();
    try {
      if (lease != null && lease.isDone() && lease.join() == id) {
        lease = null;
      }
    } finally {
      mutex.unlock();
    }
  }

  private void grant(CompletableFuture<Long> fresh, Deadline deadline) {
    var unused =
        calls
            .grant(seconds, deadline)
            .whenComplete(
                (id, failure) -> {
                  if (failure == null) {
                    fresh.complete(id);
                    return;
                  }
                  mutex.lock();
                  try {
                    lease = null;
                  } finally {
                    mutex.unlock();
                  }
                  fresh.completeExceptionally(failure);
                });
  }

  private CompletableFuture<Boolean> renew(long id, Deadline deadline) {
    mutex.lock();
    try {
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
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    send(id, deadline, result);
    return result;
  }

  private void send(long id, Deadline deadline, CompletableFuture<Boolean> result) {
    var unused =
        calls
            .keepAlive(id, deadline)
            .whenComplete(
                (alive, failure) -> {
                  CompletableFuture<Boolean> waiting = sent();
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  } else {
                    if (!alive) {
                      ended(id);
                    }
                    result.complete(alive);
                  }
                  if (waiting != null) {
                    send(id, calls.deadline(), waiting);
                  }
                  if (failure == null && alive) {
                    audit(id);
                  }
                });
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

  private void audit(long id) {
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
    Deadline deadline = calls.deadline();
    var unused =
        calls.timeToLive(id, true, deadline).thenAccept(found -> deleteStrangers(found, deadline));
  }

  private void deleteStrangers(LeaseTimeToLiveResponse found, Deadline deadline) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (ByteString key : found.getKeysList()) {
      if (roll.isStranger(key, seconds) && txn.getSuccessCount() < Chunks.SIZE) {
        txn.addSuccess(Ops.delete(key));
        roll.strike(key);
      }
    }
    if (txn.getSuccessCount() > 0) {
      var unused = calls.txn("clean-up", "", txn.build(), deadline);
    }
  }
}
