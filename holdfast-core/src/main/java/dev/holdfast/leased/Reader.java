package dev.holdfast.leased;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Holders and waiters, for operators, and how to end them. Thread-safe. */
public final class Reader {

  private final KeyCalls<?> calls;
  private final RecordFormat format;
  private final Ticker ticker;

  public Reader(KeyCalls<?> calls, RecordFormat format, Ticker ticker) {
    this.calls = calls;
    this.format = format;
    this.ticker = ticker;
  }

  public CompletableFuture<LockInfo> inspect(String lock) {
    Deadline deadline = calls.deadline();
    return calls
        .queue("inspection", lock, deadline)
        .thenCompose(queue -> infos(Map.of(lock, queue), deadline))
        .thenApply(infos -> infos.get(0));
  }

  public CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    Deadline deadline = calls.deadline();
    return calls
        .list(prefix, limit, deadline)
        .thenCompose(
            found -> {
              Map<String, StoredQueue> queues = new LinkedHashMap<>();
              found.entrySet().stream()
                  .limit(limit)
                  .forEach(lock -> add(lock.getKey(), lock.getValue(), queues));
              return infos(queues, deadline);
            });
  }

  private void add(String lock, List<StoredKey> keys, Map<String, StoredQueue> queues) {
    try {
      queues.put(lock, StoredQueue.of(keys, format, 0, 0));
    } catch (UnreadableRecordException unreadable) {
      Failures.skipped(unreadable);
    }
  }

  public CompletableFuture<Boolean> evict(String lock, long token) {
    return evict(lock, token, calls.deadline());
  }

  private CompletableFuture<Boolean> evict(String lock, long token, Deadline deadline) {
    return calls
        .queue("eviction", lock, deadline)
        .thenCompose(
            queue -> {
              List<ClaimRecord> named =
                  queue.holders().stream()
                      .filter(holder -> token == LockStore.ANY_TOKEN || holder.hasToken(token))
                      .toList();
              return named.isEmpty()
                  ? CompletableFuture.completedFuture(false)
                  : calls
                      .remove(lock, named, deadline)
                      .thenCompose(
                          removal ->
                              removal == KeyCalls.Removal.CHANGED
                                  ? evict(lock, token, deadline)
                                  : CompletableFuture.completedFuture(
                                      removal == KeyCalls.Removal.REMOVED));
            });
  }

  public CompletableFuture<Boolean> discard(String lock) {
    return calls.removeIf(lock, stored -> !format.isReadable(stored), calls.deadline());
  }

  private CompletableFuture<List<LockInfo>> infos(
      Map<String, StoredQueue> queues, Deadline deadline) {
    List<ClaimRecord> claims = new ArrayList<>();
    queues.values().forEach(queue -> claims.addAll(queue.claims()));
    return calls
        .remaining(claims, deadline)
        .thenApply(
            remaining -> {
              List<LockInfo> infos = new ArrayList<>();
              queues.forEach((lock, queue) -> infos.add(info(lock, queue, remaining)));
              return infos;
            });
  }

  private LockInfo info(String lock, StoredQueue queue, Map<String, Duration> remaining) {
    if (queue.isEmpty()) {
      return LockInfo.free(lock);
    }
    int admitted = queue.admitted();
    List<ClaimInfo> infos = new ArrayList<>();
    for (ClaimRecord claim : queue.claims()) {
      boolean holds = infos.size() < admitted;
      long age = Math.max(0, ticker.wallMicros() - claim.since());
      infos.add(
          new ClaimInfo(
              claim.owner(),
              claim.kind().mode(claim.weight()),
              claim.weight(),
              holds ? claim.token() : 0,
              holds ? Tokens.lastOfRevision(claim.token()) : 0,
              Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(age)),
              remaining.getOrDefault(claim.stored().lease(), Duration.ZERO),
              holds && claim.mayBeIdle(),
              claim.value()));
    }
    return new LockInfo(
        lock,
        queue.head().kind(),
        queue.head().capacity(),
        infos.subList(0, admitted),
        infos.subList(admitted, infos.size()));
  }
}
