package dev.holdfast.redis.redlock;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.inspect.KeyScan;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Inspects and lists locks as a quorum sees them. Thread-safe. */
final class Reader {

  // What a failed attempt left on a few nodes must not displace what is held.
  private static final int MARGIN = 100;

  private final Quorum quorum;

  Reader(Quorum quorum) {
    this.quorum = quorum;
  }

  /** Fails if too few nodes answer. */
  CompletableFuture<LockInfo> inspect(String lock) {
    return inspect(List.of(lock)).get(0);
  }

  private List<CompletableFuture<LockInfo>> inspect(List<String> locks) {
    Function<String, CompletableFuture<Ballot>> ballots =
        quorum.askAll(
            NodeScripts.INSPECT,
            locks,
            lock -> new Quorum.Item(lock, List.of()),
            quorum.deadline(),
            ballot -> ballot.hasQuorumOf("gone") || holder(ballot).size() >= ballot.quorum(),
            (lock, node) -> {});
    return locks.stream()
        .map(lock -> ballots.apply(lock).thenApply(ballot -> info(lock, ballot)))
        .toList();
  }

  /**
   * Each lock is held on a quorum, so the keys of any quorum show it: all nodes are scanned, and it
   * is enough if the scans of a quorum end in time.
   */
  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    if (limit <= 0) {
      return CompletableFuture.completedFuture(List.of());
    }
    int names = limit > Integer.MAX_VALUE - MARGIN ? Integer.MAX_VALUE : limit + MARGIN;
    List<CompletableFuture<Set<String>>> scans =
        quorum.nodes().stream().map(node -> scan((QuorumNode) node, prefix, names)).toList();
    return CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new))
        .handle((done, failure) -> scans.stream().filter(scan -> !scan.isCompletedExceptionally()))
        .thenCompose(ended -> held(ended.map(CompletableFuture::join).toList(), limit));
  }

  private CompletableFuture<Set<String>> scan(QuorumNode node, String prefix, int limit) {
    CompletableFuture<StoreConnection> known = node.connect();
    if (!known.isDone()) {
      return CompletableFuture.failedFuture(
          new StoreException("", "No connection to " + node.url()));
    }
    Deadline deadline = Deadline.in(quorum.timeout().multipliedBy(2), quorum.ticker());
    return known
        .thenCompose(
            connection ->
                new KeyScan<>(connection, quorum.keys(), prefix, limit, Reader::named)
                    .run(deadline))
        .thenApply(TreeMap::keySet);
  }

  // Only a quorum knows which of them are held.
  private static CompletableFuture<Map<String, String>> named(List<String> locks) {
    Map<String, String> names = new HashMap<>();
    locks.forEach(lock -> names.put(lock, lock));
    return CompletableFuture.completedFuture(names);
  }

  private CompletableFuture<List<LockInfo>> held(List<Set<String>> scans, int limit) {
    if (scans.size() < quorum.nodes().size() / 2 + 1) {
      return CompletableFuture.failedFuture(
          new StoreException(
              "", "Too few nodes of " + quorum.url() + " listed their keys: nothing is listed."));
    }
    TreeSet<String> names = new TreeSet<>();
    scans.forEach(names::addAll);
    List<String> locks = List.copyOf(names);
    return AllAnswers.of(
            inspect(locks).stream().map(info -> info.exceptionally(Reader::skip)).toList())
        .thenApply(infos -> infos.stream().filter(LockInfo::isHeld).limit(limit).toList());
  }

  private static LockInfo skip(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    if (cause instanceof UnreadableRecordException unreadable) {
      Failures.skipped(unreadable);
      return LockInfo.free(unreadable.lockName());
    }
    throw new CompletionException(cause);
  }

  private static List<Vote> holder(Ballot ballot) {
    return Vote.mostCommon(ballot.saying("held"));
  }

  private LockInfo info(String lock, Ballot ballot) {
    if (!ballot.hasQuorum()) {
      throw ballot.tooFew(quorum, NodeScripts.INSPECT, lock);
    }
    List<Vote> votes = holder(ballot);
    // Before the second phase it is an attempt, not a holder.
    List<ClaimInfo> granted =
        votes.stream().map(Vote::info).filter(info -> info.token() > 0).toList();
    if (votes.size() < ballot.quorum() || granted.isEmpty()) {
      return LockInfo.free(lock);
    }
    ClaimInfo newest = granted.stream().max(Comparator.comparing(ClaimInfo::token)).orElseThrow();
    ClaimInfo latest = votes.stream().max(Comparator.comparing(Vote::order)).orElseThrow().info();
    // As long as a quorum has it.
    Duration remaining =
        votes.stream()
            .map(vote -> vote.info().remaining())
            .sorted(Comparator.reverseOrder())
            .skip(ballot.quorum() - 1)
            .findFirst()
            .orElseThrow();
    ClaimInfo info =
        new ClaimInfo(
            newest.owner(),
            newest.mode(),
            newest.weight(),
            newest.token(),
            granted.stream().mapToLong(ClaimInfo::lastToken).max().orElseThrow(),
            newest.age(),
            remaining,
            latest.value());
    return new LockInfo(lock, votes.get(0).kind(), 1, List.of(info), List.of());
  }
}
