package dev.holdfast.consul;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.holdfast.consul.Sessions.Session;
import dev.holdfast.leased.Audit;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.leased.KeyCalls;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Chunks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Reads and changes the keys of claims. Thread-safe. */
final class ConsulKeyCalls implements KeyCalls<Session> {

  private final ConsulClient client;
  private final KeyPaths paths;
  private final QueueCleanup cleanup;
  private final Audit audit;

  ConsulKeyCalls(Sessions sessions, ClaimRegistry registry) {
    this.client = sessions.client;
    this.paths = sessions.paths;
    this.cleanup = new QueueCleanup(client, paths, sessions.ticker);
    this.audit = new Audit(this, ClaimFormat.FORMAT, sessions.classes, registry, sessions.ticker);
  }

  /**
   * @return fails unless Consul answers and the account may read and write
   */
  CompletableFuture<Transaction.Result> checkRights(String verb) {
    return client.transactUnconditionally(verb, "", paths.reading(), deadline());
  }

  @Override
  public Deadline deadline() {
    return client.deadline();
  }

  @Override
  public int readsAtOnce() {
    return KeyPaths.MAX_READS;
  }

  @Override
  public CompletableFuture<StoredQueue> queue(String verb, String lock, Deadline deadline) {
    return keys(verb, lock, deadline).thenApply(ClaimFormat::queue);
  }

  private CompletableFuture<List<StoredKey>> keys(String verb, String lock, Deadline deadline) {
    return client
        .transactUnconditionally(verb, lock, paths.reading().read(paths.queue(lock)), deadline)
        .thenApply(Transaction.Result::found);
  }

  @Override
  public CompletableFuture<List<Supplier<StoredQueue>>> read(List<Look> looks, Deadline deadline) {
    Transaction read = paths.reading();
    looks.forEach(look -> read.read(look.key() == null ? paths.queue(look.lock()) : look.key()));
    return client
        .transactUnconditionally("renewal", looks.get(0).lock(), read, deadline)
        .thenApply(
            result -> {
              Map<String, List<StoredKey>> byLock = paths.byLock(result.found());
              List<Supplier<StoredQueue>> found = new ArrayList<>();
              for (Look look : looks) { // that for one key finds all that start like it
                List<StoredKey> keys =
                    byLock.getOrDefault(look.lock(), List.of()).stream()
                        .filter(key -> look.key() == null || key.key().equals(look.key()))
                        .toList();
                found.add(() -> ClaimFormat.queue(keys));
              }
              return found;
            });
  }

  @Override
  public CompletableFuture<StoredQueue> clearAhead(
      String lock, StoredQueue queue, int index, Deadline deadline) {
    return cleanup.removeAhead(lock, queue, index, deadline);
  }

  /** Sends nothing if there is nothing to change: then the renewal of the session is enough. */
  @Override
  public CompletableFuture<StoredQueue> move(
      Claim claim, ClaimRecord record, Duration ttl, Session session, Deadline deadline) {
    audit.run();
    StoredKey stored = record.stored();
    Duration lasting = Duration.ofSeconds(session.seconds());
    String text = ClaimFormat.FORMAT.text(record.renewedBy(claim).in(record.state(), lasting));
    StoredKey moved =
        new StoredKey(stored.key(), text, session.id(), stored.created(), stored.modified());
    if (moved.equals(stored)) {
      return completedFuture(ClaimFormat.queue(List.of(stored)));
    }
    Transaction move = new Transaction().checkUnchanged(stored);
    if (!stored.lease().isEmpty() && !stored.lease().equals(session.id())) {
      move.unlock(stored.key(), stored.lease());
    }
    return client
        .transact("renewal", claim.lock(), move.lock(stored.key(), session.id(), text), deadline)
        .thenCompose(
            result -> {
              if (result.sessionEnded()) {
                throw new LeaseEndedException();
              }
              return result.tookEffect()
                  ? completedFuture(ClaimFormat.queue(List.of(moved)))
                  : read(List.of(new Look(claim.lock(), stored.key())), deadline)
                      .thenApply(found -> found.get(0).get());
            });
  }

  // Consul has no pages: the names of all keys are read, but only the queues that are wanted.
  @Override
  public CompletableFuture<Map<String, List<StoredKey>>> list(
      String prefix, int limit, Deadline deadline) {
    String path = KeyPaths.path(paths.startingWith(prefix)) + "?keys&consistent";
    return checkRights("list")
        .thenCompose(allowed -> client.send("list", "GET", path, "", deadline))
        .thenCompose(
            answer -> {
              String keys = answer.status() == 200 ? answer.body() : "[]";
              List<String> locks =
                  JsonParser.parseString(keys).getAsJsonArray().asList().stream()
                      .map(JsonElement::getAsString)
                      .filter(paths::isClaim)
                      .map(paths::lock)
                      .distinct()
                      .sorted()
                      .limit(limit)
                      .toList();
              return AllAnswers.of(
                  Chunks.of(locks, KeyPaths.MAX_READS).stream()
                      .map(chunk -> queues(chunk, deadline))
                      .toList());
            })
        .thenApply(
            results -> {
              Map<String, List<StoredKey>> byLock = new TreeMap<>();
              results.forEach(result -> byLock.putAll(paths.byLock(result.found())));
              return byLock;
            });
  }

  private CompletableFuture<Transaction.Result> queues(List<String> locks, Deadline deadline) {
    Transaction read = paths.reading();
    locks.forEach(lock -> read.read(paths.queue(lock)));
    return client.transactUnconditionally("list", "", read, deadline);
  }

  /** Consul does not say how much of a session's ttl is left: at most the whole ttl. */
  @Override
  public CompletableFuture<Map<String, Duration>> remaining(
      Collection<ClaimRecord> claims, Deadline deadline) {
    Map<String, Duration> remaining = new HashMap<>();
    claims.forEach(claim -> remaining.put(claim.stored().lease(), claim.ttl()));
    return completedFuture(remaining);
  }

  // The key of a claim is its own. But the same claim may have joined again, with another token: so
  // one that was named by its token must be unchanged.
  @Override
  public CompletableFuture<Removal> remove(
      String lock, List<ClaimRecord> claims, Deadline deadline) {
    if (claims.size() == 1) {
      return removeUnchanged(lock, claims.get(0).stored(), deadline);
    }
    return AllAnswers.of(
            Chunks.of(claims, Transaction.MAX_OPERATIONS / 2).stream()
                .map(chunk -> removeAll(lock, chunk, deadline))
                .toList())
        .thenApply(
            removals -> removals.contains(Removal.REMOVED) ? Removal.REMOVED : Removal.NOT_THERE);
  }

  // A repeated request that finds none: most likely the first one has removed them.
  private CompletableFuture<Removal> removeAll(
      String lock, List<ClaimRecord> claims, Deadline deadline) {
    Transaction removal = new Transaction();
    claims.forEach(claim -> removal.read(claim.stored().key()).delete(claim.stored().key()));
    return client
        .transactUnconditionally("eviction", lock, removal, deadline)
        .thenApply(
            result ->
                result.repeated() || !result.found().isEmpty()
                    ? Removal.REMOVED
                    : Removal.NOT_THERE);
  }

  private CompletableFuture<Removal> removeUnchanged(
      String lock, StoredKey stored, Deadline deadline) {
    return client
        .transact("eviction", lock, deletion(stored), deadline)
        .thenCompose(
            result -> {
              if (result.tookEffect() || !result.repeated()) {
                return completedFuture(result.tookEffect() ? Removal.REMOVED : Removal.CHANGED);
              }
              // If it is missing now, most likely the first request has removed it.
              return keys("eviction", lock, deadline)
                  .thenApply(
                      now ->
                          now.stream().anyMatch(other -> other.key().equals(stored.key()))
                              ? Removal.CHANGED
                              : Removal.REMOVED);
            });
  }

  @Override
  public CompletableFuture<Boolean> removeIf(
      String lock, Predicate<StoredKey> matches, Deadline deadline) {
    return keys("removal", lock, deadline)
        .thenCompose(
            found ->
                AllAnswers.of(
                    found.stream()
                        .filter(matches)
                        .map(key -> client.transact("removal", lock, deletion(key), deadline))
                        .toList()))
        .thenApply(
            results ->
                results.stream().anyMatch(result -> result.tookEffect() || result.repeated()));
  }

  private static Transaction deletion(StoredKey stored) {
    return new Transaction().checkUnchanged(stored).delete(stored.key());
  }
}
