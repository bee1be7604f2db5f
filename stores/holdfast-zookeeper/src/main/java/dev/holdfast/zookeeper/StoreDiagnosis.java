package dev.holdfast.zookeeper;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;

/**
 * Reports dangers to locks: servers that are down, old or slow, and nodes that are open to
 * everyone.
 *
 * <p>Thread-safe.
 */
final class StoreDiagnosis {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** A write is slow for a ttl if it takes more than this part of it. */
  private static final int SLOW_PART = 10;

  private final StoreConnection connection;
  private final SessionSource source;

  StoreDiagnosis(StoreConnection connection, SessionSource source) {
    this.connection = connection;
    this.source = source;
  }

  CompletableFuture<Diagnosis> diagnose() {
    Session session = connection.session("");
    long sent = System.nanoTime();
    CompletableFuture<Stat> written = session.zk.commit();
    CompletableFuture<Finding> speed =
        written.thenApply(stat -> speed(session, Duration.ofNanos(System.nanoTime() - sent)));
    return ServerReport.askAll(source.hosts(), TIMEOUT)
        .thenCombine(
            speed,
            (reports, wrote) -> {
              List<Finding> findings = servers(reports);
              reports.stream()
                  .filter(report -> !report.version().isEmpty())
                  .forEach(report -> findings.add(version(report)));
              findings.addAll(List.of(wrote, sessions(session), permissions()));
              Finding encryption = source.encryption();
              if (encryption != null) {
                findings.add(encryption);
              }
              findings.sort(Comparator.comparing(Finding::severity).reversed());
              return new Diagnosis(Instant.ofEpochMilli(written.join().getMtime()), findings);
            });
  }

  static List<Finding> servers(List<ServerReport> reports) {
    List<Finding> findings = new ArrayList<>();
    reports.forEach(report -> findings.add(state(report)));
    long serving = reports.stream().filter(ServerReport::serves).count();
    if (reports.stream().anyMatch(report -> report.mode().equals("standalone"))) {
      findings.add(Finding.warning("a single server: no lock can be acquired while it is down"));
    } else if (serving == 1) {
      findings.add(
          Finding.warning("only one server is named or answers: name all, so that one may fail"));
    }
    return findings;
  }

  private static Finding state(ServerReport report) {
    String host = report.host();
    if (report.isSilent()) {
      return Finding.warning(host + " does not answer: one more failure may end the quorum");
    }
    if (report.serves()) {
      return Finding.ok(
          "%s serves as %s, latency min/avg/max %s ms"
              .formatted(host, report.mode(), report.latency()));
    }
    return report.isIdle()
        ? Finding.warning(host + " is up, but does not serve requests: no quorum?")
        : Finding.ok(host + " does not allow srvr (4lw.commands.whitelist)");
  }

  static Finding version(ServerReport report) {
    String server = report.host() + " runs ZooKeeper " + report.version();
    if (report.isOlderThan("3.6")) {
      return Finding.danger(
          server + ": too old, Holdfast needs 3.6 to list the nodes of a session");
    }
    return report.isOlderThan("3.8")
        ? Finding.warning(
            server
                + ": no longer maintained, and without the fixes for servers that diverge after a"
                + " crash of the leader; use 3.8 or later")
        : Finding.ok(server);
  }

  private static Finding speed(Session session, Duration roundTrip) {
    String text = "a committed write took " + roundTrip.toMillis() + " ms";
    return roundTrip.multipliedBy(SLOW_PART).compareTo(session.longestTtl()) > 0
        ? Finding.warning(text + ": slow for a ttl of " + session.longestTtl())
        : Finding.ok(text);
  }

  private Finding sessions(Session session) {
    String text =
        "the session lasts " + session.timeout() + ", so a ttl is at most " + session.longestTtl();
    return session.timeout().compareTo(source.sessionTimeout()) < 0
        ? Finding.warning(
            text
                + "; requested: "
                + source.sessionTimeout()
                + ". Raise maxSessionTimeout on all servers, or request less")
        : Finding.ok(text);
  }

  private Finding permissions() {
    return source.acl().equals(ZooDefs.Ids.OPEN_ACL_UNSAFE)
        ? Finding.warning(
            "nodes are open to any client that reaches the server; log in to protect them")
        : Finding.ok("nodes are open to their creator only");
  }
}
