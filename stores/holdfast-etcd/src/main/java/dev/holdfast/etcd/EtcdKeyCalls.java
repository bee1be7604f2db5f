package dev.holdfast.etcd;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.EtcdLeases.EtcdLease;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.KeyCalls;
import dev.holdfast.leased.LeaseClasses;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.Chunks;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads and changes the keys of claims. Thread-safe. */
final class EtcdKeyCalls implements KeyCalls<EtcdLease> {

  private static final int PAGE = 500;

  final Calls calls;
  final Keys keys;
  final EtcdRecordFormat format = new EtcdRecordFormat();
  final ClaimRegistry registry;
  final LeaseClasses<EtcdLease> leases;
  final EtcdWatches watches;

  /**
   * @param prefix what all keys start with
   */
  EtcdKeyCalls(Calls calls, String prefix) {
    this.calls = calls;
    this.keys = new Keys(prefix);
    this.registry = new ClaimRegistry(calls.ticker, calls.timeout);
    this.leases =
        new LeaseClasses<>(new EtcdLeases(this), calls.term::get, EtcdLeases.SPARE, calls.failures);
    this.watches = new EtcdWatches(calls, keys);
  }

  /** Which claim this is. */
  ClaimKey claim(StoredKey stored) {
    String lock = keys.lock(stored.key());
    return new ClaimKey(lock == null ? "" : lock, format.parse(stored).id());
  }

  @Override
  public int readsAtOnce() {
    return Keys.MOST;
  }

  @Override
  public Deadline deadline() {
    return calls.deadline();
  }

  @Override
  public CompletableFuture<StoredQueue> queue(String verb, String lock, Deadline deadline) {
    return calls.read(verb, lock, keys.queue(lock).get(), deadline).thenApply(this::last);
  }

  private StoredQueue queue(RangeResponse found, ResponseHeader header) {
    List<StoredKey> stored = found.getKvsList().stream().map(Keys::stored).toList();
    return StoredQueue.of(stored, format, header.getRevision(), header.getRaftTerm());
  }

  /** What the last operation of a transaction has read. */
  StoredQueue last(TxnResponse done) {
    return queue(
        done.getResponses(done.getResponsesCount() - 1).getResponseRange(), done.getHeader());
  }

  @Override
  public CompletableFuture<List<Supplier<StoredQueue>>> read(List<Look> looks, Deadline deadline) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Look look : looks) {
      String key = look.key();
      txn.addSuccess(key == null ? keys.queue(look.lock()).get() : Keys.get(Keys.bytes(key)));
    }
    return calls
        .renewal(looks.get(0).lock(), txn.build(), deadline)
        .thenApply(
            read ->
                read.getResponsesList().stream()
                    .<Supplier<StoredQueue>>map(
                        one -> () -> queue(one.getResponseRange(), read.getHeader()))
                    .toList());
  }

  /** Sent twice, the second one must not undo what was done after the first. */
  @Override
  public CompletableFuture<StoredQueue> move(
      Claim claim, ClaimRecord record, Duration ttl, EtcdLease lease, Deadline deadline) {
    ByteString key = Keys.bytes(record.stored().key());
    TxnRequest txn =
        unchanged(claim, record)
            .addCompare(Keys.isThere(record.place()))
            .addSuccess(put(claim, record, lease))
            .addSuccess(Keys.get(key))
            .addFailure(Keys.get(keys.tombstone(claim)))
            .addFailure(Keys.get(key))
            .build();
    return calls
        .renewal(claim.lock(), txn, deadline)
        .thenApply(
            done -> {
              boolean refused = !done.getSucceeded() && !Keys.found(done).isEmpty();
              StoredQueue now = last(done);
              return refused || now.isEmpty() || !now.head().place().equals(record.place())
                  ? StoredQueue.EMPTY
                  : now;
            });
  }

  /** The claim has not changed and has no tombstone. */
  private TxnRequest.Builder unchanged(Claim claim, ClaimRecord record) {
    return TxnRequest.newBuilder()
        .addCompare(Keys.isUnchanged(record.stored()))
        .addCompare(Keys.createdAt(keys.tombstone(claim), 0));
  }

  /** Puts a claim on this lease. */
  private RequestOp put(Claim claim, ClaimRecord record, EtcdLease lease) {
    ByteString text = ByteString.copyFromUtf8(format.text(record.renewedBy(claim)));
    return Keys.put(Keys.bytes(record.stored().key()), text, lease.number);
  }

  @Override
  public CompletableFuture<Promotion> promote(
      Claim claim, ClaimRecord record, EtcdLease lease, Deadline deadline) {
    Keys.Range queue = keys.queue(claim.lock());
    long created = record.stored().created();
    boolean tells = claim.keepable() || record.keepable();
    RequestOp put = put(claim, record, lease);
    if (tells) { // it is keepable from now on unless another claim waits
      put =
          Keys.nested(
              TxnRequest.newBuilder()
                  .addCompare(queue.unjoinedSince(created))
                  .addSuccess(put)
                  .addFailure(put(claim.keepable(false), record, lease)));
    }
    TxnRequest txn =
        unchanged(claim, record)
            .addCompare(queue.noneBefore(created))
            .addSuccess(put)
            .addFailure(queue.get())
            .build();
    return calls
        .renewal(claim.lock(), txn, deadline)
        .thenApply(
            done ->
                done.getSucceeded()
                    ? new Promotion(true, tells && !Keys.anyDone(done), last(done))
                    : new Promotion(false, false, last(done)));
  }

  /** Reads until there is one lock more than wanted: then the others are complete. */
  @Override
  public CompletableFuture<Map<String, List<StoredKey>>> list(
      String prefix, int limit, Deadline deadline) {
    return page(keys.locks(prefix), limit, new LinkedHashMap<>(), deadline);
  }

  private CompletableFuture<Map<String, List<StoredKey>>> page(
      Keys.Range rest, int limit, Map<String, List<StoredKey>> found, Deadline deadline) {
    return calls
        .read("list", "", rest.get(PAGE), deadline)
        .thenCompose(
            done -> {
              RangeResponse page = done.getResponses(0).getResponseRange();
              for (KeyValue one : page.getKvsList()) {
                StoredKey stored = Keys.stored(one);
                String lock = keys.lock(stored.key());
                if (lock != null) {
                  found.computeIfAbsent(lock, name -> new ArrayList<>()).add(stored);
                }
              }
              return !page.getMore() || found.size() > limit
                  ? completedFuture(found)
                  : page(rest.behind(page.getKvs(PAGE - 1).getKey()), limit, found, deadline);
            });
  }

  @Override
  public CompletableFuture<Map<String, Duration>> remaining(
      Collection<ClaimRecord> claims, Deadline deadline) {
    Map<String, Duration> remaining = new ConcurrentHashMap<>();
    return AllAnswers.of(
            claims.stream()
                .map(claim -> claim.stored().lease())
                .filter(lease -> !lease.isEmpty())
                .distinct()
                .map(
                    lease ->
                        calls
                            .timeToLive(Long.parseLong(lease), false, deadline)
                            .thenApply(left -> Duration.ofSeconds(Math.max(0, left.getTTL())))
                            .thenAccept(left -> remaining.put(lease, left)))
                .toList())
        .thenApply(done -> remaining);
  }

  @Override
  public CompletableFuture<Removal> remove(
      String lock, List<ClaimRecord> claims, Deadline deadline) {
    Stream<Compare> there = claims.stream().map(ClaimRecord::place).map(Keys::isThere);
    return removeEach("eviction", lock, there, deadline)
        .thenApply(any -> any ? Removal.REMOVED : Removal.NOT_THERE);
  }

  // By its own bytes: the key of another program need not be text.
  @Override
  public CompletableFuture<Boolean> removeIf(
      String lock, Predicate<StoredKey> matches, Deadline deadline) {
    return calls
        .read("removal", lock, keys.queue(lock).get(), deadline)
        .thenCompose(
            done ->
                removeEach(
                    "removal",
                    lock,
                    Keys.found(done).stream()
                        .filter(one -> matches.test(Keys.stored(one)))
                        .map(one -> Keys.modifiedAt(one.getKey(), one.getModRevision())),
                    deadline));
  }

  /** Removes the keys of those conditions that hold; tells whether any did. */
  CompletableFuture<Boolean> removeEach(
      String verb, String lock, Stream<Compare> unchanged, Deadline deadline) {
    Purpose purpose = new Purpose(verb, lock, deadline, false);
    return AllAnswers.any(
        Chunks.of(unchanged.toList(), Keys.MOST).stream()
            .map(Keys::deletingEach)
            .map(txn -> calls.txn(purpose, txn).thenApply(Keys::anyDone))
            .toList());
  }
}
