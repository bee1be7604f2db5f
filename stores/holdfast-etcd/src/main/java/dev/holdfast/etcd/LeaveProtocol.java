package dev.holdfast.etcd;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.EtcdLeases.EtcdLease;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.State;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.leased.LeaseClasses;
import dev.holdfast.leased.Standings;
import dev.holdfast.leased.Tombstones;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.PerClaim;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * How claims leave. A claim has left when its key is deleted, or when it has a tombstone and its
 * record says so: it lingers. A tombstone refuses a late join. Thread-safe.
 */
final class LeaveProtocol {

  private static final String VERB = "release";
  private static final Duration LONGEST_LEASE = Duration.ofDays(10_000);

  private final EtcdKeyCalls keyCalls;
  private final Calls calls;
  private final Tombstones tombstones;
  private final Standings<EtcdLease> standings;

  LeaveProtocol(EtcdKeyCalls keyCalls, Standings<EtcdLease> standings) {
    this.keyCalls = keyCalls;
    this.calls = keyCalls.calls;
    this.standings = standings;
    this.tombstones = new Tombstones(this::lease, LONGEST_LEASE, calls.ticker, calls.failures);
  }

  /** The id of a lease that is never renewed. */
  private CompletableFuture<String> lease(long seconds, Deadline deadline) {
    return calls.grant(seconds, deadline).thenApply(granted -> Long.toString(granted.getID()));
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    Map<Departure, Place> placed = new LinkedHashMap<>(); // claims whose only key is known
    List<Departure> others = new ArrayList<>();
    for (Departure departure : departures) {
      Claim claim = departure.claim();
      boolean tombstone = keyCalls.registry.leaving(claim) || departure.tombstone();
      Place place = keyCalls.registry.place(claim);
      standings.drop(claim); // after that: an answer on its way watches nothing any more
      if (place != null && !tombstone && departure.linger().isZero()) {
        placed.put(departure, place);
      } else {
        others.add(new Departure(claim, departure.linger(), tombstone));
      }
    }
    return PerClaim.DEPARTURES
        .inChunks(placed.keySet(), Keys.MOST, chunk -> delete(chunk, placed, deadline))
        .thenCombine(
            PerClaim.DEPARTURES.each(
                others,
                departure ->
                    departure.linger().isZero()
                        ? end(departure, deadline)
                        : linger(departure, deadline)),
            this::left);
  }

  private Map<Claim, Left> left(Map<Claim, Left> some, Map<Claim, Left> others) {
    Map<Claim, Left> all = PerClaim.both(some, others);
    all.forEach(
        (claim, left) -> {
          if (left != Left.UNKNOWN) {
            keyCalls.registry.left(claim);
          }
        });
    return all;
  }

  /** Leaves in the background, with a tombstone if the departure says so. */
  void withdraw(Departure departure) {
    var unused = leave(List.of(departure), calls.deadline());
  }

  private CompletableFuture<Map<Claim, Left>> delete(
      List<Departure> chunk, Map<Departure, Place> placed, Deadline deadline) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Departure one : chunk) {
      Place place = Objects.requireNonNull(placed.get(one));
      Compare unrefused = Keys.createdAt(keyCalls.keys.tombstone(one.claim()), 0);
      txn.addSuccess(Keys.nested(Keys.deleteIf(Keys.isThere(place)).addCompare(unrefused)));
    }
    Ending ending = new Ending(chunk.get(0).claim().lock(), deadline);
    return ending
        .send(txn.build())
        .thenApply(
            done -> {
              Map<Claim, Left> answers = new HashMap<>();
              for (int i = 0; i < chunk.size(); i++) {
                boolean deleted = done.getResponses(i).getResponseTxn().getSucceeded();
                answers.put(chunk.get(i).claim(), ending.answer(deleted));
              }
              return answers;
            });
  }

  /** A request that ends claims. If it was sent twice, the first may have done what it misses. */
  private final class Ending {
    private final String lock;
    private final Deadline deadline;
    private volatile boolean repeated;

    Ending(String lock, Deadline deadline) {
      this.lock = lock;
      this.deadline = deadline;
    }

    CompletableFuture<TxnResponse> send(TxnRequest txn) {
      return calls.txn(new Purpose(VERB, lock, deadline, false, () -> repeated = true), txn);
    }

    Left answer(boolean ended) {
      return ended ? Left.LEFT : repeated ? Left.UNKNOWN : Left.GONE;
    }
  }

  /**
   * For a claim that may be on any key, even on several: refuses joins on their way, if wanted, and
   * then deletes all that is there.
   */
  private CompletableFuture<Left> end(Departure departure, Deadline deadline) {
    return departure.tombstone()
        ? tombstones.on(
            lifeOfTombstone(departure),
            deadline,
            lease -> end(departure.claim(), List.of(refusal(departure.claim(), lease)), deadline))
        : end(departure.claim(), List.of(), deadline);
  }

  /** A join is repeated for as long as an operation may take; and then a member may be slow. */
  private Duration lifeOfTombstone(Departure departure) {
    Duration ttl = departure.claim().ttl();
    return departure
        .linger()
        .plus(ttl)
        .plus(ttl.compareTo(calls.timeout) < 0 ? calls.timeout : ttl);
  }

  /** The tombstone that refuses joins. */
  private RequestOp refusal(Claim claim, String lease) {
    return Keys.put(keyCalls.keys.tombstone(claim), ByteString.EMPTY, Long.parseLong(lease));
  }

  private CompletableFuture<Left> end(Claim claim, List<RequestOp> refusal, Deadline deadline) {
    RequestOp queue = keyCalls.keys.queue(claim.lock()).get();
    TxnRequest refusing =
        TxnRequest.newBuilder()
            .addCompare(Keys.createdAt(keyCalls.keys.tombstone(claim), 0))
            .addSuccess(queue)
            .addAllSuccess(refusal)
            .addFailure(queue)
            .build();
    Ending ending = new Ending(claim.lock(), deadline);
    return calls
        .txn(new Purpose(VERB, claim.lock(), deadline, false), refusing)
        .thenCompose(
            done -> {
              List<Compare> there =
                  records(claim, done)
                      .filter(record -> record.id().equals(claim.id()) && !record.hasLeft())
                      .map(record -> Keys.isThere(record.place()))
                      .toList();
              return there.isEmpty()
                  ? completedFuture(Left.GONE)
                  : ending
                      .send(Keys.deletingEach(there))
                      .thenApply(ended -> ending.answer(Keys.anyDone(ended)));
            });
  }

  /** What the first operation has read of this claim; other claims may be unreadable. */
  private Stream<ClaimRecord> records(Claim claim, TxnResponse done) {
    return Keys.found(done).stream()
        .map(Keys::stored)
        .filter(stored -> EtcdRecordFormat.isOf(claim, stored))
        .map(keyCalls.format::parse);
  }

  private CompletableFuture<Left> linger(Departure departure, Deadline deadline) {
    return keyCalls
        .queue(VERB, departure.claim().lock(), deadline)
        .thenCompose(
            queue -> {
              int index = queue.indexOf(departure.claim());
              return index < 0 || index >= queue.admitted()
                  ? end(departure, deadline)
                  : linger(departure, queue.claims().get(index), deadline);
            });
  }

  private CompletableFuture<Left> linger(
      Departure departure, ClaimRecord record, Deadline deadline) {
    Claim claim = departure.claim();
    Ending ending = new Ending(claim.lock(), deadline);
    CompletableFuture<String> lingering = lease(LeaseClasses.roundUp(departure.linger()), deadline);
    CompletableFuture<String> tombstone =
        departure.tombstone() ? tombstones.lease(lifeOfTombstone(departure), deadline) : lingering;
    return lingering
        .thenCombine(tombstone, (lease, other) -> lingering(claim, record, lease, other))
        .thenCompose(ending::send)
        .thenApply(
            done ->
                ending.answer(
                    done.getSucceeded()
                        || (ending.repeated
                            && records(claim, done).anyMatch(ClaimRecord::hasLeft))));
  }

  private TxnRequest lingering(Claim claim, ClaimRecord record, String lease, String other) {
    ByteString key = Keys.bytes(record.stored().key());
    String text = keyCalls.format.text(record.in(State.LEFT, Duration.ZERO));
    return TxnRequest.newBuilder()
        .addCompare(Keys.createdAt(keyCalls.keys.tombstone(claim), 0))
        .addCompare(Keys.isThere(record.place()))
        .addSuccess(Keys.put(key, ByteString.copyFromUtf8(text), Long.parseLong(lease)))
        .addSuccess(refusal(claim, other))
        .addFailure(Keys.get(key))
        .build();
  }
}
