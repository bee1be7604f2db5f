package dev.holdfast.redis.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives a node that has forgotten all its vote back: it rests for the longest ttl, and only then
 * gets the greatest counter of a quorum that remembers. A counter read earlier could lack a token
 * whose second phase is still on its way to the other nodes. Thread-safe.
 */
final class Recovery {

  private final Quorum quorum;
  private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();

  Recovery(Quorum quorum) {
    this.quorum = quorum;
  }

  /** Starts for each node that has rested long enough, according to its vote. */
  void check(List<Vote> resting) {
    Duration longest = quorum.longestTtl();
    resting.stream()
        .filter(vote -> !vote.incarnation().isEmpty())
        .filter(vote -> vote.rested().minus(Quorum.drift(longest)).compareTo(longest) >= 0)
        .forEach(this::recover);
  }

  private void recover(Vote rested) {
    if (!underWay.add(rested.node())) {
      return;
    }
    var unused =
        quorum
            .ask(NodeScripts.STATUS, List.of(), quorum.deadline(), Ballot.agrees("remembers"))
            .thenCompose(ballot -> install(rested, ballot))
            .whenComplete((done, failure) -> underWay.remove(rested.node()));
  }

  private CompletableFuture<?> install(Vote rested, Ballot ballot) {
    if (!ballot.hasQuorumOf("remembers")) {
      return CompletableFuture.completedFuture(null); // the joins that fail for it say why
    }
    long counter = ballot.saying("remembers").stream().mapToLong(Vote::counter).max().orElseThrow();
    List<String> arguments =
        List.of(
            rested.incarnation(),
            Long.toString(counter),
            Long.toString(quorum.longestTtl().toMillis()));
    List<String> record = List.of(Quorum.record(quorum.keys()));
    return quorum
        .nodes()
        .get(rested.node())
        .run(NodeScripts.INSTALL, "", record, arguments, quorum.deadline());
  }
}
