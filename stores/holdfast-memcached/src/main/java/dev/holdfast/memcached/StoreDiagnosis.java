package dev.holdfast.memcached;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.support.AllAnswers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Judges the safety of locks by the statistics of the servers. */
final class StoreDiagnosis {

  private static final int FULL_PERCENT = 90;

  private StoreDiagnosis() {}

  static CompletionStage<Diagnosis> of(List<Server> servers) {
    return AllAnswers.of(servers.stream().map(StoreDiagnosis::of).toList())
        .thenApply(
            diagnoses -> {
              List<Finding> findings = new ArrayList<>();
              diagnoses.forEach(diagnosis -> findings.addAll(diagnosis.findings()));
              findings.add(
                  Finding.warning(
                      "Memcached keeps nothing over a restart, and evicts entries when memory is"
                          + " short: use it for efficiency; for correctness, guard the resource with"
                          + " a Fence"));
              findings.add(encryption(servers));
              return new Diagnosis(diagnoses.get(0).time(), findings);
            });
  }

  private static CompletionStage<Diagnosis> of(Server server) {
    return server.request(
        "diagnosis", "", connection -> connection.stats().thenApply(reply -> of(server, reply)));
  }

  private static Finding encryption(List<Server> servers) {
    return Encryption.of(servers.stream().allMatch(Server::isTls))
        .finding(
            servers.stream().map(server -> server.address().name()).toList(), "use memcacheds://");
  }

  private static Diagnosis of(Server server, Reply statistics) {
    List<Finding> findings = new ArrayList<>();
    long evictions = statistics.statistic("evictions");
    if (evictions > 0) {
      findings.add(
          Finding.danger(
              server
                  + " has evicted "
                  + evictions
                  + " entries: locks can vanish while they are held; give it more memory (-m), or"
                  + " use a separate server for locks"));
    }
    long used = statistics.statistic("bytes");
    long limit = statistics.statistic("limit_maxbytes");
    if (used * 100 >= limit * FULL_PERCENT) {
      findings.add(
          Finding.danger(
              server + " is full (" + used + " of " + limit + " bytes): it will evict locks"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(server + " (" + statistics.text("version") + ") has free memory"));
    }
    return new Diagnosis(Instant.ofEpochSecond(statistics.statistic("time")), findings);
  }
}
