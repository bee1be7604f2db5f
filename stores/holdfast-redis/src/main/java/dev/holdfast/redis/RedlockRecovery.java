package dev.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives a node that has forgotten all its vote back: it rests for the longest ttl, and only then
 * the counter is read from a quorum that remembers. Read before the rest, it could miss a token
 * whose second phase is still on its way to the others. Any threads.
 */
final class RedlockRecovery {

  private final RedlockNodes nodes;
  private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();

  RedlockRecovery(RedlockNodes nodes) {
    this.nodes = nodes;
  }

  /** Looks for nodes whose rest is over. */
  void notice(RedlockBallot ballot) {
    ballot
        .saying("resting")
        .filter(vote -> !vote.incarnation().isEmpty())
        .filter(
            vote ->
                vote.rested()
                        .minus(RedlockNodes.drift(nodes.longestTtl()))
                        .compareTo(nodes.longestTtl())
                    >= 0)
        .forEach(this::recover);
  }

  private void recover(RedlockVote rested) {
    if (!underWay.add(rested.node())) {
      return;
    }
    List<CompletableFuture<Reply>> answers = new ArrayList<>();
    for (int node = 0; node < nodes.runners().size(); node++) {
      answers.add(
          nodes.askItself(node, RedlockScripts.NODE, "question for the counter", List.of()));
    }
    var unused =
        nodes
            .poll(answers, nodes.deadline(), ballot -> ballot.hasQuorumOf("remembers"))
            .thenCompose(ballot -> install(rested, ballot))
            .whenComplete((done, failure) -> underWay.remove(rested.node()));
  }

  private CompletableFuture<?> install(RedlockVote rested, RedlockBallot ballot) {
    if (!ballot.hasQuorumOf("remembers")) {
      return CompletableFuture.completedFuture(null); // the joins that fail for it tell why
    }
    long counter = ballot.saying("remembers").mapToLong(RedlockVote::counter).max().orElseThrow();
    List<String> arguments =
        List.of(
            rested.incarnation(),
            Long.toString(counter),
            Long.toString(nodes.longestTtl().toMillis()));
    return nodes.askItself(rested.node(), RedlockScripts.INSTALL, "recovery", arguments);
  }
}
