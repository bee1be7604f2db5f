package dev.holdfast.redis.redlock;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.support.PerClaim;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Locks on a quorum of independent Redis servers: Redlock, with fencing tokens.
 *
 * <p>A lock is held while more than half of the nodes say so. An acquire is two round trips to all
 * nodes at once, a release one. Tokens rise independently of all clocks.
 *
 * <p>Does not promise exclusion when a node's clock jumps or a process is paused: a fence then
 * refuses the old holder. Keeps no queue; waiters try again.
 *
 * <p>Thread-safe; never blocks, except to connect. Stages complete on threads of the Redis client
 * or of the ticker.
 */
public final class RedlockLockStore implements LockStore {

  static final Duration USUAL_LONGEST_TTL = Duration.ofMinutes(1);

  // Two round trips to several servers must be little beside it.
  static final Duration SHORTEST_TTL = Duration.ofMillis(500);

  /** Half of what there is: all locks share a counter, which goes on above the floor of one. */
  private static final long MAX_FLOOR = ClaimRecord.EXACT / 2;

  private static final Predicate<Ballot> ENDED = Ballot.agrees("left", "gone");

  private final Quorum quorum;
  private final Traits traits;
  private final Cleanup cleanup;
  private final Recovery recovery;
  private final Renewal renewal;
  private final Reader reader;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicLong order = new AtomicLong();

  RedlockLockStore(Quorum quorum) {
    this.quorum = quorum;
    traits = traits(quorum.longestTtl());
    cleanup = new Cleanup(quorum);
    recovery = new Recovery(quorum);
    renewal = new Renewal(quorum, this::value);
    reader = new Reader(quorum);
  }

  static Traits traits(Duration longestTtl) {
    return Traits.builder()
        .floors(MAX_FLOOR)
        .ttl(SHORTEST_TTL, longestTtl)
        .ttlResolution(Duration.ofMillis(1))
        .lingers()
        .detachable()
        .consistency(Consistency.BEST_EFFORT)
        .spansProcesses()
        .build();
  }

  /** {@return rounded up: a claim never ends early} */
  static String millis(Duration duration) {
    return Long.toString(duration.plusNanos(999_999).toMillis());
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    if (!traits.kinds().contains(claim.kind())) {
      throw new IllegalArgumentException(
          "%s does not support locks of kind %s, only %s"
              .formatted(quorum.url(), claim.kind(), traits.kinds()));
    }
    if (claim.ttl().compareTo(quorum.longestTtl()) > 0) {
      throw new IllegalArgumentException(
          "ttl (%s) must be at most %s, the longest of %s"
              .formatted(claim.ttl(), quorum.longestTtl(), quorum.url()));
    }
    return new JoinProtocol(quorum, cleanup, recovery, claim, value(claim), deadline).start();
  }

  private String value(Claim claim) {
    long now = quorum.ticker().wallMicros();
    return Vote.value(claim, order.updateAndGet(last -> Math.max(last + 1, now)));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return renewal.refresh(claims, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    Function<Departure, CompletableFuture<Ballot>> ballots =
        quorum.askAll(
            NodeScripts.LEAVE,
            departures,
            RedlockLockStore::leaving,
            deadline,
            ENDED,
            (departure, node) -> cleanup.repeat(node, leaving(departure), departure.claim().ttl()));
    return PerClaim.DEPARTURES.each(
        departures, departure -> ballots.apply(departure).thenApply(RedlockLockStore::left));
  }

  private static Left left(Ballot ballot) {
    return ballot.hasQuorumOf("gone") ? Left.GONE : ballot.hasQuorum() ? Left.LEFT : Left.UNKNOWN;
  }

  private static Quorum.Item leaving(Departure departure) {
    Claim claim = departure.claim();
    String refused = departure.tombstone() ? millis(claim.ttl()) : "0";
    return new Quorum.Item(
        claim.lock(), List.of(claim.id(), "", millis(departure.linger()), refused));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    Quorum.Item item = new Quorum.Item(lock, List.of(Long.toString(token)));
    return quorum
        .ask(NodeScripts.EVICT, List.of(item), quorum.deadline(), ENDED)
        .thenApply(
            ballot -> {
              if (ballot.hasQuorumOf("gone")) {
                return false;
              }
              // Some nodes had a claim, some none: no quorum has one now. But a node without this
              // token may still have the claim, with an older token of a failed attempt.
              boolean ended = token == ANY_TOKEN ? ballot.hasQuorum() : ballot.hasQuorumOf("left");
              if (!ended) {
                throw ballot.tooFew(quorum, NodeScripts.EVICT, lock);
              }
              return true;
            });
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    Quorum.Item item = new Quorum.Item(lock, List.of());
    return quorum
        .ask(
            NodeScripts.DISCARD,
            List.of(item),
            quorum.deadline(),
            ballot -> false) // any node may have a damaged record
        .thenApply(
            ballot -> {
              if (!ballot.hasQuorum()) {
                throw ballot.tooFew(quorum, NodeScripts.DISCARD, lock);
              }
              return !ballot.saying("left").isEmpty();
            });
  }

  // There is no queue, and so no turn to wake anybody for.
  @Override
  public Registration observe(String lock, Runnable wake) {
    return Registration.NONE;
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return reader.inspect(lock);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return reader.list(prefix, limit);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return NodeDiagnosis.ofAll(quorum);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      cleanup.close();
      quorum.close();
    }
  }

  @Override
  public String toString() {
    return quorum.url();
  }
}
