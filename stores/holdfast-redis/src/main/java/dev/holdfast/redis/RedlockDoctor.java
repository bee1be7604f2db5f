package dev.holdfast.redis;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the settings and the record of one node mean for a quorum. */
final class RedlockDoctor {

  private RedlockDoctor() {}

  /** Each finding has the node's address before it; a node that does not answer is one. */
  static CompletableFuture<Diagnosis> look(RedlockNode node, String record) {
    return node.connect()
        .thenCompose(link -> findings(node, link, record))
        .thenApply(
            diagnosis ->
                new Diagnosis(
                    diagnosis.time(),
                    diagnosis.findings().stream().map(finding -> named(node, finding)).toList()))
        .exceptionally(
            failure -> new Diagnosis(null, List.of(Finding.warning(node.url() + ": no answer"))));
  }

  private static CompletableFuture<Diagnosis> findings(RedlockNode node, Link link, String record) {
    CompletableFuture<ServerInfo> info = ServerInfo.of(link);
    CompletableFuture<Map<String, String>> policy = Diagnoses.setting(link, "maxmemory-policy");
    CompletableFuture<Map<String, String>> flushing = Diagnoses.setting(link, "appendfsync");
    CompletableFuture<RedlockVote> vote =
        link.run(
                RedlockScripts.NODE,
                "question for its record",
                "",
                List.of(record),
                List.of(),
                link.calls().timeout())
            .thenApply(replies -> new RedlockVote(0, replies.get(0)));
    return Diagnoses.time(link)
        .thenCombine(
            CompletableFuture.allOf(info, policy, flushing, vote),
            (time, done) -> {
              List<Finding> findings = new ArrayList<>();
              findings.add(memory(vote.join(), info.join(), flushing.join()));
              findings.add(Diagnoses.eviction(info.join(), policy.join()));
              findings.add(replicas(info.join()));
              findings.add(Diagnoses.version(info.join()));
              findings.add(node.encryption());
              return new Diagnosis(time, findings);
            });
  }

  static Finding memory(RedlockVote vote, ServerInfo info, Map<String, String> settings) {
    if (vote.word().equals("error")) {
      return Finding.danger("has no vote, because its record cannot be read: " + vote.error());
    }
    if (!vote.counts()) {
      return Finding.warning(
          "has no vote: it was restarted or never set up; it learns from the others when the longest"
              + " ttl has passed, if most of them remember");
    }
    if (!vote.isKept()) {
      return Finding.ok("has a vote; a restart takes it away for the longest ttl");
    }
    boolean always =
        info.text("aof_enabled", "0").equals("1")
            && settings.getOrDefault("appendfsync", "always").equals("always");
    return always
        ? Finding.ok("has a vote, over a restart, too")
        : Finding.danger(
            "is said to remember over a restart (inc is 'kept'), but does not: set appendonly yes and"
                + " appendfsync always, or set the node up again without it");
  }

  private static Finding replicas(ServerInfo info) {
    if (info.text("role", "").equals("slave")) {
      return Finding.danger("is a replica: it takes no writes; give the master's address");
    }
    String replicas = info.text("connected_slaves", "0");
    return replicas.equals("0")
        ? Finding.ok("has no replica that could take its place")
        : Finding.warning(
            "has %s replica(s): promoting one brings back less than was acknowledged"
                .formatted(replicas));
  }

  private static Finding named(RedlockNode node, Finding finding) {
    return new Finding(finding.severity(), node.url() + ": " + finding.message());
  }
}
