package dev.holdfast.memcached;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.spi.Encryption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What the statistics of the servers say about the safety of locks. */
final class Checkup {

  private static final int FULL_PERCENT = 90;

  private Checkup() {}

  static CompletionStage<Diagnosis> of(List<Server> servers) {
    CompletionStage<Diagnosis> all =
        CompletableFuture.completedFuture(
            new Diagnosis(
                null,
                List.of(
                    Finding.warning(
                        "Memcached keeps nothing over a restart and drops entries when it needs the"
                            + " room: for efficiency; for correctness guard the resource with a"
                            + " Fence"),
                    encryption(servers))));
    for (Server server : servers) {
      CompletionStage<Diagnosis> one =
          server.with(
              session -> session.connection().ask("stats\r\n").thenApply(it -> of(server, it)));
      all = all.thenCombine(one, Checkup::plus);
    }
    return all;
  }

  private static Finding encryption(List<Server> servers) {
    return Encryption.of(servers.stream().allMatch(Server::isTls))
        .finding(
            servers.stream().map(server -> server.address().name()).toList(), "use memcacheds://");
  }

  private static Diagnosis plus(Diagnosis a, Diagnosis b) {
    List<Finding> findings = new ArrayList<>(b.findings());
    findings.addAll(a.findings());
    return new Diagnosis(b.time(), findings);
  }

  private static Diagnosis of(Server server, Reply statistics) {
    List<Finding> findings = new ArrayList<>();
    long evictions = statistics.statistic("evictions");
    if (evictions > 0) {
      findings.add(
          Finding.danger(
              server
                  + " has dropped "
                  + evictions
                  + " entries to make room: locks can vanish while they are held; give it more"
                  + " memory (-m), or locks a server of their own"));
    }
    long used = statistics.statistic("bytes");
    long limit = statistics.statistic("limit_maxbytes");
    if (used * 100 >= limit * FULL_PERCENT) {
      findings.add(
          Finding.danger(
              server
                  + " is full ("
                  + used
                  + " of "
                  + limit
                  + " bytes): locks will be dropped for room"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(server + " (" + statistics.text("version") + ") has room"));
    }
    return new Diagnosis(Instant.ofEpochSecond(statistics.statistic("time")), findings);
  }
}
