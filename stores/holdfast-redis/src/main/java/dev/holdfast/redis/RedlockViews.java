package dev.holdfast.redis;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Deadline;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** How locks stand in the eyes of a quorum. Any threads. */
final class RedlockViews {

  private static final System.Logger LOG = System.getLogger(RedlockViews.class.getName());

  private final RedlockNodes nodes;

  RedlockViews(RedlockNodes nodes) {
    this.nodes = nodes;
  }

  /** One for each lock, in the same order; fails if too few nodes answer. */
  CompletableFuture<List<LockInfo>> inspect(List<String> locks) {
    return all(views(locks));
  }

  private List<CompletableFuture<LockInfo>> views(List<String> locks) {
    List<RedlockNodes.Item> items = new ArrayList<>();
    locks.forEach(lock -> items.add(new RedlockNodes.Item(lock, List.of())));
    Deadline deadline = nodes.deadline();
    List<List<CompletableFuture<Reply>>> answers =
        nodes.ask(RedlockScripts.INSPECT, "inspection", items, deadline);
    List<CompletableFuture<LockInfo>> infos = new ArrayList<>();
    for (int i = 0; i < locks.size(); i++) {
      String lock = locks.get(i);
      infos.add(
          nodes
              .poll(answers.get(i), deadline, ballot -> isDecided(ballot))
              .thenApply(ballot -> info(lock, ballot)));
    }
    return infos;
  }

  /**
   * The locks in use. Each is held on a quorum, so the keys of any quorum show it: all nodes are
   * walked through, and it is enough if a quorum of walks comes to its end.
   */
  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    if (limit <= 0) {
      return CompletableFuture.completedFuture(List.of());
    }
    List<CompletableFuture<@Nullable TreeSet<String>>> walks = new ArrayList<>();
    for (ScriptRunner runner : nodes.runners()) {
      walks.add(
          new RedlockWalk((RedlockNode) runner, nodes, prefix, limit)
              .names()
              .handle((names, failure) -> names));
    }
    return CompletableFuture.allOf(walks.toArray(CompletableFuture[]::new))
        .thenCompose(done -> look(walks.stream().map(CompletableFuture::join).toList(), limit));
  }

  private CompletableFuture<List<LockInfo>> look(
      List<? extends @Nullable TreeSet<String>> walks, int limit) {
    TreeSet<String> names = new TreeSet<>();
    walks.stream().filter(Objects::nonNull).forEach(names::addAll);
    if (walks.stream().filter(Objects::nonNull).count() < walks.size() / 2 + 1) {
      return CompletableFuture.failedFuture(
          new StoreException(
              "", "Too few nodes of " + nodes.url() + " listed their keys; nothing is listed."));
    }
    List<CompletableFuture<LockInfo>> infos = new ArrayList<>();
    List<String> locks = List.copyOf(names);
    List<CompletableFuture<LockInfo>> answers = views(locks);
    for (int i = 0; i < locks.size(); i++) {
      String lock = locks.get(i);
      infos.add(answers.get(i).exceptionally(failure -> skip(lock, failure)));
    }
    return all(infos).thenApply(all -> all.stream().filter(LockInfo::isHeld).limit(limit).toList());
  }

  /** One lock that cannot be read must not hide all others. */
  private static LockInfo skip(String lock, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof UnreadableRecordException) {
      LOG.log(Level.WARNING, "Skipping a lock in the listing: " + cause.getMessage());
      return LockInfo.free(lock);
    }
    throw new CompletionException(cause);
  }

  /**
   * The state of every node, each finding with the node's address before it; the clock of the
   * first.
   */
  CompletableFuture<Diagnosis> diagnose() {
    List<CompletableFuture<Diagnosis>> all = new ArrayList<>();
    for (ScriptRunner runner : nodes.runners()) {
      all.add(RedlockDoctor.look((RedlockNode) runner, RedlockNodes.record(nodes.keys())));
    }
    return all(all)
        .thenApply(
            diagnoses -> {
              List<Finding> findings = new ArrayList<>();
              diagnoses.forEach(diagnosis -> findings.addAll(diagnosis.findings()));
              findings.sort(Comparator.comparing(Finding::severity).reversed());
              Instant time =
                  diagnoses.stream()
                      .map(Diagnosis::time)
                      .filter(Objects::nonNull)
                      .findFirst()
                      .orElse(null);
              return new Diagnosis(time, findings);
            });
  }

  private static boolean isDecided(RedlockBallot ballot) {
    return ballot.hasQuorumOf("gone") || ballot.isQuorum(holder(ballot).stream());
  }

  private static List<RedlockVote> holder(RedlockBallot ballot) {
    return RedlockBallot.mostCommon(ballot.saying("held"), vote -> true, RedlockVote::who);
  }

  private LockInfo info(String lock, RedlockBallot ballot) {
    if (!ballot.hasQuorum()) {
      throw ballot.tooFew(nodes, "inspection", lock);
    }
    List<RedlockVote> votes = holder(ballot);
    // Before the second phase it is an attempt, not a holder.
    List<ClaimInfo> granted =
        votes.stream().map(RedlockVote::info).filter(info -> info.token() > 0).toList();
    if (votes.size() < ballot.quorum() || granted.isEmpty()) {
      return LockInfo.free(lock);
    }
    ClaimInfo newest = granted.stream().max(Comparator.comparing(ClaimInfo::token)).orElseThrow();
    ClaimInfo latest =
        votes.stream().max(Comparator.comparing(RedlockVote::order)).orElseThrow().info();
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

  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> stages) {
    return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new))
        .thenApply(done -> stages.stream().map(CompletableFuture::join).toList());
  }
}
