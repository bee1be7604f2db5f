package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.PrintableText;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** For operators: who holds and who waits, and the end of that. */
final class Reading {

  private static final System.Logger LOG = System.getLogger(Reading.class.getName());
  private static final int PAGE = 500;

  private final Calls calls;
  private final Keys keys;
  private final Ticker ticker;

  Reading(Calls calls, Keys keys, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.ticker = ticker;
  }

  CompletableFuture<LockInfo> inspect(String lock) {
    Deadline deadline = calls.deadline();
    return queue("inspection", lock, deadline)
        .thenCompose(queue -> infos(Map.of(lock, queue), deadline))
        .thenApply(infos -> infos.get(0));
  }

  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    Deadline deadline = calls.deadline();
    return page(prefix, keys.firstLike(prefix), limit, new LinkedHashMap<>(), deadline)
        .thenCompose(
            found -> {
              Map<String, Queue> queues = new LinkedHashMap<>();
              found.entrySet().stream()
                  .limit(limit)
                  .forEach(lock -> collect(lock.getKey(), lock.getValue(), queues));
              return infos(queues, deadline);
            });
  }

  // A newer version may be in use at the same time; its locks must not hide all others.
  private static void collect(String lock, List<KeyValue> stored, Map<String, Queue> queues) {
    try {
      queues.put(lock, Queue.of(stored));
    } catch (StoreException unreadable) {
      LOG.log(
          Level.WARNING,
          PrintableText.message("Skipping a lock in the listing: " + unreadable.getMessage()));
    }
  }

  CompletableFuture<Boolean> evict(String lock, long token) {
    Deadline deadline = calls.deadline();
    return queue("eviction", lock, deadline)
        .thenCompose(
            queue ->
                delete(
                    lock,
                    queue.entries().stream()
                        .limit(queue.admitted())
                        .filter(holder -> token == LockStore.ANY_TOKEN || holder.has(token))
                        .toList(),
                    deadline));
  }

  /** Takes out the claims that cannot be read, unless they have changed since. */
  CompletableFuture<Boolean> discard(String lock) {
    Deadline deadline = calls.deadline();
    return calls
        .range("removal", lock, range(lock), deadline)
        .thenCompose(
            found -> {
              CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
              for (KeyValue stored : found.getKvsList()) {
                if (!Entry.isReadable(stored)) {
                  TxnRequest txn =
                      TxnRequest.newBuilder()
                          .addCompare(Ops.modifiedAt(stored.getKey(), stored.getModRevision()))
                          .addSuccess(Ops.delete(stored.getKey()))
                          .build();
                  any =
                      any.thenCombine(
                          calls.txn("removal", lock, txn, deadline),
                          (before, done) -> before || done.getSucceeded());
                }
              }
              return any;
            });
  }

  private RangeRequest range(String lock) {
    return RangeRequest.newBuilder().setKey(keys.first(lock)).setRangeEnd(keys.after(lock)).build();
  }

  private CompletableFuture<Boolean> delete(String lock, List<Entry> holders, Deadline deadline) {
    CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
    for (List<Entry> chunk : Chunks.of(holders)) {
      TxnRequest.Builder txn = TxnRequest.newBuilder();
      chunk.forEach(holder -> txn.addSuccess(Ops.nested(Ops.ending(holder.seat()))));
      any =
          any.thenCombine(
              calls.txn("eviction", lock, txn.build(), deadline),
              (before, done) -> before || deletes(done));
    }
    return any;
  }

  private static boolean deletes(TxnResponse done) {
    return done.getResponsesList().stream().anyMatch(one -> one.getResponseTxn().getSucceeded());
  }

  private CompletableFuture<Queue> queue(String what, String lock, Deadline deadline) {
    return calls
        .range(what, lock, range(lock), deadline)
        .thenApply(found -> Queue.of(found, found.getHeader()));
  }

  /** Reads on until there is one lock more than wanted: then the others are complete. */
  private CompletableFuture<Map<String, List<KeyValue>>> page(
      String prefix,
      ByteString from,
      int limit,
      Map<String, List<KeyValue>> found,
      Deadline deadline) {
    RangeRequest range =
        RangeRequest.newBuilder()
            .setKey(from)
            .setRangeEnd(keys.afterLike(prefix))
            .setLimit(PAGE)
            .build();
    return calls
        .range("list", "", range, deadline)
        .thenCompose(
            (RangeResponse page) -> {
              for (KeyValue one : page.getKvsList()) {
                String lock = keys.lock(one.getKey());
                if (lock != null) {
                  found.computeIfAbsent(lock, name -> new ArrayList<>()).add(one);
                }
              }
              if (!page.getMore() || found.size() > limit) {
                return CompletableFuture.completedFuture(found);
              }
              ByteString last = page.getKvs(page.getKvsCount() - 1).getKey();
              return page(prefix, Keys.justAfter(last), limit, found, deadline);
            });
  }

  private CompletableFuture<List<LockInfo>> infos(Map<String, Queue> queues, Deadline deadline) {
    Set<Long> leases = new HashSet<>();
    queues.values().forEach(queue -> queue.entries().forEach(entry -> leases.add(entry.lease())));
    CompletableFuture<Map<Long, Long>> lives = CompletableFuture.completedFuture(new HashMap<>());
    for (long lease : leases) {
      lives =
          lives.thenCombine(
              calls.timeToLive(lease, false, deadline),
              (known, life) -> {
                known.put(lease, Math.max(0, life.getTTL()));
                return known;
              });
    }
    return lives.thenApply(
        known -> {
          List<LockInfo> infos = new ArrayList<>();
          queues.forEach((lock, queue) -> infos.add(info(lock, queue, known)));
          return infos;
        });
  }

  private LockInfo info(String lock, Queue queue, Map<Long, Long> lives) {
    if (queue.isEmpty()) {
      return LockInfo.free(lock);
    }
    int admitted = queue.admitted();
    List<ClaimInfo> infos = new ArrayList<>();
    for (Entry entry : queue.entries()) {
      long age = Math.max(0, ticker.wallMicros() - entry.since());
      infos.add(
          new ClaimInfo(
              entry.owner(),
              entry.kind().mode(entry.weight()),
              entry.weight(),
              infos.size() < admitted ? entry.token() : 0,
              infos.size() < admitted ? Tokens.lastOfRevision(entry.token()) : 0,
              Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(age)),
              Duration.ofSeconds(lives.getOrDefault(entry.lease(), 0L)),
              entry.value()));
    }
    return new LockInfo(
        lock,
        queue.head().kind(),
        queue.head().capacity(),
        infos.subList(0, admitted),
        infos.subList(admitted, infos.size()));
  }
}
