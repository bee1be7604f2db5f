package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Renewing a lease renews all claims on it, so two things follow. Who wants to count from the
 * moment of his call needs a keep-alive that was sent after it: one under way does not do, the next
 * one does, for all who have come meanwhile. And a claim that nobody renews any more would live as
 * long as any other: the audit deletes it.
 */

/** A lease that etcd has granted, and the claims on it. Any threads. */
final class KeptLease {

  private final long id;
  private final long seconds;
  private final Calls calls;
  private final Roll roll;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private boolean renewing;
  private @Nullable CompletableFuture<Boolean> next;
  private long audited;

  KeptLease(long id, long seconds, Calls calls, Roll roll, Ticker ticker) {
    this.id = id;
    this.seconds = seconds;
    this.calls = calls;
    this.roll = roll;
    this.ticker = ticker;
    this.audited = ticker.nanoTime();
  }

  long id() {
    return id;
  }

  /** Whether it was still there, by a keep-alive that is sent from now on. */
  CompletableFuture<Boolean> renew(Deadline deadline) {
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
    send(deadline, result);
    return result;
  }

  private void send(Deadline deadline, CompletableFuture<Boolean> result) {
    var unused =
        calls
            .keepAlive(id, deadline)
            .whenComplete(
                (alive, failure) -> {
                  CompletableFuture<Boolean> waiting = sent();
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  } else {
                    result.complete(alive);
                  }
                  if (waiting != null) {
                    send(calls.deadline(), waiting);
                  }
                  if (failure == null && alive) {
                    audit();
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
    Deadline deadline = calls.deadline();
    var unused =
        calls.timeToLive(id, true, deadline).thenAccept(found -> deleteStrangers(found, deadline));
  }

  private void deleteStrangers(LeaseTimeToLiveResponse found, Deadline deadline) {
    List<ByteString> strangers = new ArrayList<>();
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (ByteString key : found.getKeysList()) {
      if (strangers.size() < Chunks.SIZE && roll.condemn(key, seconds)) {
        strangers.add(key);
        txn.addSuccess(Ops.delete(key));
      }
    }
    if (!strangers.isEmpty()) {
      var unused =
          calls
              .txn("clean-up", "", txn.build(), deadline)
              .thenAccept(done -> strangers.forEach(roll::strike));
    }
  }
}
