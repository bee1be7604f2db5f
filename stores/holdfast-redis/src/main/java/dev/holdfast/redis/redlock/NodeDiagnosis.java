package dev.holdfast.redis.redlock;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.redis.client.ServerInfo;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.inspect.StoreDiagnosis;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.spi.support.AllAnswers;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Looks for what endangers locks on the nodes of a quorum. */
final class NodeDiagnosis {

  private static final String FLUSHING = "appendfsync";

  private NodeDiagnosis() {}

  /**
   * @return the findings about every node, each with the node's address in front; the clock of the
   *     first node that answers
   */
  static CompletableFuture<Diagnosis> ofAll(Quorum quorum) {
    String record = Quorum.record(quorum.keys());
    return AllAnswers.of(
            quorum.nodes().stream().map(node -> of((QuorumNode) node, record)).toList())
        .thenApply(
            diagnoses -> {
              List<Finding> findings =
                  diagnoses.stream()
                      .flatMap(diagnosis -> diagnosis.findings().stream())
                      .sorted(Comparator.comparing(Finding::severity).reversed())
                      .toList();
              Instant time =
                  diagnoses.stream()
                      .map(Diagnosis::time)
                      .filter(Objects::nonNull)
                      .findFirst()
                      .orElse(null);
              return new Diagnosis(time, findings);
            });
  }

  private static CompletableFuture<Diagnosis> of(QuorumNode node, String record) {
    return node.connect()
        .thenCompose(connection -> of(node, connection, record))
        .exceptionally(failure -> new Diagnosis(null, List.of(Finding.warning("no answer"))))
        .thenApply(
            diagnosis -> new Diagnosis(diagnosis.time(), named(node.url(), diagnosis.findings())));
  }

  private static CompletableFuture<Diagnosis> of(
      QuorumNode node, StoreConnection connection, String record) {
    return status(connection, record)
        .thenCompose(
            replies ->
                StoreDiagnosis.of(
                    connection,
                    info ->
                        List.of(
                            memory(new Vote(0, replies.get(0)), info),
                            StoreDiagnosis.eviction(info),
                            replicas(info),
                            StoreDiagnosis.version(info),
                            node.encryption()),
                    StoreDiagnosis.POLICY,
                    FLUSHING));
  }

  private static List<Finding> named(String url, List<Finding> findings) {
    return findings.stream()
        .map(finding -> new Finding(finding.severity(), url + ": " + finding.message()))
        .toList();
  }

  /** Asks a node what it remembers. */
  static CompletableFuture<List<Reply>> status(StoreConnection connection, String record) {
    return connection.run(
        NodeScripts.STATUS, "", List.of(record), List.of(), connection.requests().timeout());
  }

  private static Finding memory(Vote vote, ServerInfo info) {
    if (vote.word().equals("error")) {
      return Finding.danger(
          "has no vote, because its record cannot be read: " + vote.reply().error());
    }
    if (!vote.word().equals("remembers")) {
      return Finding.warning(
          "has no vote: it was restarted or never set up; it learns from the others when the longest"
              + " ttl has passed, if most of them remember");
    }
    if (!vote.isKept()) {
      return Finding.ok("has a vote; a restart takes it away for the longest ttl");
    }
    boolean always =
        info.text("aof_enabled", "0").equals("1") && info.text(FLUSHING, "always").equals("always");
    return always
        ? Finding.ok("has a vote, also after a restart")
        : Finding.danger(
            "is set up to remember over a restart (inc is 'kept'), but does not: set appendonly yes"
                + " and appendfsync always, or set the node up again without it");
  }

  private static Finding replicas(ServerInfo info) {
    if (info.isReplica()) {
      return Finding.danger("is a replica: it takes no writes; give the master's address");
    }
    String replicas = info.text("connected_slaves", "0");
    return replicas.equals("0")
        ? Finding.ok("has no replica that could take its place")
        : Finding.warning(
            "has %s replica(s): promoting one brings back less than was acknowledged"
                .formatted(replicas));
  }
}
