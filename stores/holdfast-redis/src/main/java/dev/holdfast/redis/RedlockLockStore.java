package dev.holdfast.redis;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Locks on a quorum of independent Redis servers: Redlock, with fencing tokens.
 *
 * <p>A lock is held as long as more than half of the nodes say so. Taking it is two round trips to
 * all nodes at once, releasing it one. Tokens rise without any clock.
 *
 * <p>Does not promise exclusion when a node's clock jumps or a process is paused: a fence refuses
 * the old holder then. Keeps no queue; those who wait try again.
 *
 * <p><b>Threads.</b> Safe for any threads; none ever waits here for a server. Stages complete on
 * threads of the Redis client or of the ticker.
 */
public final class RedlockLockStore implements LockStore {

  static final Duration USUAL_LONGEST_TTL = Duration.ofMinutes(1);

  // Two round trips to several servers must be little beside it.
  static final Duration SHORTEST_TTL = Duration.ofMillis(500);

  /** Half of what there is: all locks share a counter, and go on above the floor of one. */
  private static final long MAX_FLOOR = ClaimArgs.EXACT / 2;

  private final RedlockNodes nodes;
  private final Traits traits;
  private final RedlockSweep sweep;
  private final RedlockRecovery recovery;
  private final RedlockTokens tokens;
  private final RedlockViews views;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicLong order = new AtomicLong();

  RedlockLockStore(RedlockNodes nodes) {
    this.nodes = nodes;
    traits = traits(nodes.longestTtl());
    sweep = new RedlockSweep(nodes);
    recovery = new RedlockRecovery(nodes);
    tokens = new RedlockTokens(nodes);
    views = new RedlockViews(nodes);
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

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    if (!traits.kinds().contains(claim.kind())) {
      throw new IllegalArgumentException(
          nodes.url() + " keeps no lock of kind " + claim.kind() + ", only of " + traits.kinds());
    }
    if (claim.ttl().compareTo(nodes.longestTtl()) > 0) {
      throw new IllegalArgumentException(
          "ttl (" + claim.ttl() + ") is longer than " + nodes.longestTtl() + " of " + nodes.url());
    }
    return new RedlockJoin(nodes, sweep, recovery, claim, value(claim), deadline).start();
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    String round = nodes.newRound();
    long sent = nodes.ticker().nanoTime();
    return each(
        RedlockScripts.REFRESH,
        "renewal",
        deadline,
        List.copyOf(claims),
        claim -> claim,
        claim ->
            List.of(
                claim.id(),
                claim.spares() == 0 ? "" : round,
                RedlockJoin.millis(claim.ttl()),
                value(claim),
                Long.toString(ClaimArgs.floor(claim))),
        (claim, answers) ->
            nodes
                .poll(answers, deadline, b -> b.hasQuorumOf("ours") || b.hasQuorumOf("gone"))
                .thenCompose(ballot -> standing(claim, round, sent, ballot, deadline))
                .exceptionally(failure -> new Unknown(unreadable(claim, failure))));
  }

  private CompletableFuture<Standing> standing(
      Claim claim, String round, long sent, RedlockBallot ballot, Deadline deadline) {
    if (ballot.hasQuorumOf("gone")) {
      return CompletableFuture.completedFuture(Gone.GONE);
    }
    long token = ballot.token();
    if (!ballot.hasQuorumOf("ours") || token == 0) {
      return CompletableFuture.completedFuture(
          new Unknown(ballot.tooFew(nodes, "renewal", claim.lock())));
    }
    if (claim.spares() == 0) {
      return CompletableFuture.completedFuture(new Granted(token));
    }
    return tokens
        .reserve(claim, round, ballot, claim.spares(), token, deadline.remaining(), deadline)
        .handle(
            (spares, failure) ->
                new Granted(
                    token, spares == null || !nodes.inTime(claim, sent) ? Tokens.NONE : spares));
  }

  private String value(Claim claim) {
    long now = nodes.ticker().wallMicros();
    return RedlockVote.value(claim, order.updateAndGet(last -> Math.max(last + 1, now)));
  }

  // One bad record leaves the other claims alone.
  private StoreException unreadable(Claim claim, Throwable failure) {
    return new StoreException(
        claim.lock(),
        "The record of '%s' on %s cannot be read: it may or may not be held."
            .formatted(claim.lock(), nodes.url()),
        failure);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return each(
        RedlockScripts.LEAVE,
        "release",
        deadline,
        List.copyOf(departures),
        Departure::claim,
        RedlockLockStore::arguments,
        (departure, answers) -> {
          Claim claim = departure.claim();
          RedlockNodes.Item item = new RedlockNodes.Item(claim.lock(), arguments(departure));
          for (int node = 0; node < answers.size(); node++) {
            sweep.retry(node, item, answers.get(node), claim.ttl());
          }
          return nodes
              .poll(answers, deadline, b -> b.hasQuorumOf("left") || b.hasQuorumOf("gone"))
              .thenApply(RedlockLockStore::left);
        });
  }

  private static List<String> arguments(Departure departure) {
    Claim claim = departure.claim();
    return RedlockSweep.arguments(
        claim,
        "",
        RedlockJoin.millis(departure.linger()),
        departure.tombstone() ? RedlockJoin.millis(claim.ttl()) : "0");
  }

  private static Left left(RedlockBallot ballot) {
    if (ballot.hasQuorumOf("gone")) {
      return Left.GONE;
    }
    return ballot.hasQuorum() ? Left.LEFT : Left.UNKNOWN;
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    RedlockNodes.Item item = new RedlockNodes.Item(lock, List.of(Long.toString(token)));
    Deadline deadline = nodes.deadline();
    return nodes
        .poll(
            nodes.ask(RedlockScripts.EVICT, "eviction", List.of(item), deadline).get(0),
            deadline,
            ballot -> ballot.hasQuorumOf("left") || ballot.hasQuorumOf("gone"))
        .thenApply(
            ballot -> {
              if (ballot.hasQuorumOf("gone")) {
                return false;
              }
              // Some had a claim, some had none: no quorum has one now. But a node without this
              // token may have the claim all the same, with an older one of a failed attempt.
              boolean ended = token == ANY_TOKEN ? ballot.hasQuorum() : ballot.hasQuorumOf("left");
              if (!ended) {
                throw ballot.tooFew(nodes, "eviction", lock);
              }
              return true;
            });
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    Deadline deadline = nodes.deadline();
    List<RedlockNodes.Item> item = List.of(new RedlockNodes.Item(lock, List.of()));
    return nodes
        .poll(
            nodes.ask(RedlockScripts.DISCARD, "removal", item, deadline).get(0),
            deadline,
            ballot -> false) // each node may have its own damage
        .thenApply(
            ballot -> {
              if (!ballot.hasQuorum()) {
                throw ballot.tooFew(nodes, "removal", lock);
              }
              return ballot.saying("left").findAny().isPresent();
            });
  }

  /** Nobody is told anything: there is no queue. */
  @Override
  public Registration observe(String lock, Runnable wake) {
    return Registration.NONE;
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return views.inspect(List.of(lock)).thenApply(infos -> infos.get(0));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return views.list(prefix, limit);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return views.diagnose();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      sweep.close();
      nodes.close();
    }
  }

  @Override
  public String toString() {
    return nodes.url();
  }

  /** What a verb makes of the answers of all nodes about one claim. */
  private interface Count<T, A> {
    CompletableFuture<A> of(T thing, List<CompletableFuture<Reply>> answers);
  }

  private <T, A> CompletableFuture<Map<Claim, A>> each(
      Script script,
      String what,
      Deadline deadline,
      List<T> things,
      Function<T, Claim> claim,
      Function<T, List<String>> arguments,
      Count<T, A> count) {
    List<RedlockNodes.Item> items = new ArrayList<>();
    for (T thing : things) {
      items.add(new RedlockNodes.Item(claim.apply(thing).lock(), arguments.apply(thing)));
    }
    List<List<CompletableFuture<Reply>>> answers = nodes.ask(script, what, items, deadline);
    Map<Claim, A> results = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> counts = new ArrayList<>();
    for (int i = 0; i < things.size(); i++) {
      T thing = things.get(i);
      counts.add(
          count
              .of(thing, answers.get(i))
              .thenAccept(result -> results.put(claim.apply(thing), result)));
    }
    return CompletableFuture.allOf(counts.toArray(CompletableFuture[]::new))
        .thenApply(done -> results);
  }
}
