package dev.holdfast.consul;

import com.google.gson.JsonParser;
import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.consul.Calls.Request;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** For operators: who holds and who waits, and the end of that. */
final class Reading {

  private static final System.Logger LOG = System.getLogger(Reading.class.getName());

  private final Calls calls;
  private final Keys keys;
  private final Ticker ticker;

  Reading(Calls calls, Keys keys, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.ticker = ticker;
  }

  /** Fails unless Consul answers, and lets us read and write. */
  CompletableFuture<Done> checkRights(String what, Deadline deadline) {
    return calls.sureTxn(what, "", keys.reading(), deadline);
  }

  CompletableFuture<LockInfo> inspect(String lock) {
    return queue("inspection", lock, calls.deadline()).thenApply(queue -> info(lock, queue));
  }

  // Consul cannot give a part of the keys: all that start so are read, but the queues of no more
  // locks than are wanted.
  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    Deadline deadline = calls.deadline();
    String path = Keys.path(keys.startingLike(prefix)) + "?keys&consistent";
    return checkRights("list", deadline)
        .thenCompose(allowed -> calls.send(Request.get("list", path), deadline))
        .thenApply(answer -> locks(answer).stream().limit(limit).toList())
        .thenCompose(
            locks ->
                Batches.inParts(locks, Keys.MOST_READS, part -> infos(part, deadline))
                    .thenApply(infos -> locks.stream().map(infos::get).toList()))
        .thenApply(infos -> infos.stream().filter(info -> !isFree(info)).toList());
  }

  CompletableFuture<Boolean> evict(String lock, long token) {
    Deadline deadline = calls.deadline();
    return token == LockStore.ANY_TOKEN
        ? evictAll(lock, deadline)
        : evict(lock, token, false, deadline);
  }

  private CompletableFuture<Boolean> evictAll(String lock, Deadline deadline) {
    return queue("eviction", lock, deadline)
        .thenCompose(
            queue ->
                Batches.inParts(
                    queue.holders().stream().map(Entry::key).toList(),
                    Txn.MOST / 2,
                    part -> delete(lock, part, deadline)))
        .thenApply(deleted -> deleted.containsValue(true));
  }

  /**
   * Ends the claim that has this token, on the condition that it was not changed since it was read.
   *
   * @param mayHaveEnded whether an earlier attempt to end it may have succeeded
   */
  private CompletableFuture<Boolean> evict(
      String lock, long token, boolean mayHaveEnded, Deadline deadline) {
    return queue("eviction", lock, deadline)
        .thenCompose(
            queue -> {
              Optional<Entry> named =
                  queue.holders().stream().filter(entry -> entry.isNamedBy(token)).findFirst();
              if (named.isEmpty()) {
                return CompletableFuture.completedFuture(mayHaveEnded);
              }
              Txn txn = new Txn().checkUnchanged(named.get()).delete(named.get().key());
              return calls
                  .txn("eviction", lock, txn, deadline)
                  .thenCompose(
                      done ->
                          done.tookEffect()
                              ? CompletableFuture.completedFuture(true)
                              : evict(lock, token, mayHaveEnded || done.repeated(), deadline));
            });
  }

  /** Takes out the claims that cannot be read, unless they have changed since. */
  CompletableFuture<Boolean> discard(String lock) {
    Deadline deadline = calls.deadline();
    return calls
        .sureTxn("removal", lock, keys.reading().read(keys.queue(lock)), deadline)
        .thenCompose(
            done -> {
              CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
              for (Stored stored : done.found()) {
                if (!Entry.isReadable(stored)) {
                  Txn txn =
                      new Txn().checkIndex(stored.key(), stored.modified()).delete(stored.key());
                  any =
                      any.thenCombine(
                          calls.txn("removal", lock, txn, deadline),
                          (before, removed) ->
                              before || removed.tookEffect() || removed.repeated());
                }
              }
              return any;
            });
  }

  private CompletableFuture<Map<String, Boolean>> delete(
      String lock, List<String> claims, Deadline deadline) {
    Txn txn = new Txn();
    claims.forEach(claim -> txn.read(claim).delete(claim));
    return calls
        .sureTxn("eviction", lock, txn, deadline)
        .thenApply(
            done -> {
              Map<String, Boolean> deleted = new HashMap<>();
              // Those that a repeated request does not find were deleted by the first, most likely.
              claims.forEach(claim -> deleted.put(claim, done.repeated()));
              done.found().forEach(claim -> deleted.put(claim.key(), true));
              return deleted;
            });
  }

  private CompletableFuture<Queue> queue(String what, String lock, Deadline deadline) {
    return calls
        .sureTxn(what, lock, keys.reading().read(keys.queue(lock)), deadline)
        .thenApply(done -> Queue.of(done.found()));
  }

  private TreeSet<String> locks(Answer answer) {
    TreeSet<String> locks = new TreeSet<>();
    if (answer.status() == 200) {
      for (var key : JsonParser.parseString(answer.body()).getAsJsonArray()) {
        if (keys.isClaim(key.getAsString())) {
          locks.add(keys.lock(key.getAsString()));
        }
      }
    }
    return locks;
  }

  private CompletableFuture<Map<String, LockInfo>> infos(List<String> locks, Deadline deadline) {
    Txn txn = keys.reading();
    locks.forEach(lock -> txn.read(keys.queue(lock)));
    return calls
        .sureTxn("list", "", txn, deadline)
        .thenApply(
            done -> {
              Found found = Found.of(done.found(), keys);
              Map<String, LockInfo> infos = new HashMap<>();
              locks.forEach(lock -> infos.put(lock, infoOrSkipped(lock, found)));
              return infos;
            });
  }

  /** One lock that cannot be read must not hide all others. */
  private LockInfo infoOrSkipped(String lock, Found found) {
    try {
      return info(lock, found.queue(lock));
    } catch (UnreadableRecordException e) {
      LOG.log(Level.WARNING, "Skipping a lock in the listing: " + e.getMessage());
      return LockInfo.free(lock);
    }
  }

  private static boolean isFree(LockInfo info) {
    return info.equals(LockInfo.free(info.name()));
  }

  // Consul does not tell how much of a session's ttl is left: it is at most the whole of it.
  private LockInfo info(String lock, Queue queue) {
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
              entry.ttl(),
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
