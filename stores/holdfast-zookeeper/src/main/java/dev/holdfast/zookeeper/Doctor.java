package dev.holdfast.zookeeper;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Looks at what endangers locks: servers that are missing, old, slow, or open to everybody. */
final class Doctor {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** A round trip of a write that takes longer than this part of a ttl is too slow for it. */
  private static final int SLOW_PART = 10;

  private final Link link;
  private final Origin origin;

  Doctor(Link link, Origin origin) {
    this.link = link;
    this.origin = origin;
  }

  CompletableFuture<Diagnosis> diagnose() {
    Session session = link.session("");
    long sent = System.nanoTime();
    return session
        .renew()
        .thenApply(stat -> new Write(stat, Duration.ofNanos(System.nanoTime() - sent)))
        .thenCombine(
            reports(origin.hosts(), PATIENCE),
            (write, reports) -> {
              List<Finding> findings = new ArrayList<>(servers(reports));
              reports.forEach((host, report) -> findings.addAll(versions(host, report)));
              findings.add(speed(session, write.took));
              findings.add(sessions(session));
              findings.add(permissions());
              Finding encryption = origin.encryption();
              if (encryption != null) {
                findings.add(encryption);
              }
              findings.sort((a, b) -> b.severity().compareTo(a.severity()));
              return new Diagnosis(Instant.ofEpochMilli(write.stat.getMtime()), findings);
            });
  }

  /** A write that was committed. */
  private record Write(Stat stat, Duration took) {}

  /** What each server says; null for those that do not answer. */
  static CompletableFuture<Map<String, @Nullable ServerReport>> reports(
      List<String> hosts, Duration patience) {
    CompletableFuture<Map<String, @Nullable ServerReport>> all =
        CompletableFuture.completedFuture(new LinkedHashMap<>());
    for (String host : hosts) {
      CompletableFuture<@Nullable ServerReport> one =
          CompletableFuture.supplyAsync(() -> ask(host, patience), ownThread());
      all =
          all.thenCombine(
              one,
              (reports, report) -> {
                reports.put(host, report);
                return reports;
              });
    }
    return all;
  }

  private static @Nullable ServerReport ask(String host, Duration patience) {
    try {
      return ServerReport.ask(host, patience);
    } catch (IOException e) {
      return null;
    }
  }

  /** A socket blocks, so each question has a thread, which ends with it. */
  private static Executor ownThread() {
    return task -> {
      Thread thread = new Thread(task, "holdfast-zookeeper-doctor");
      thread.setDaemon(true);
      thread.start();
    };
  }

  static List<Finding> servers(Map<String, @Nullable ServerReport> reports) {
    List<Finding> findings = new ArrayList<>();
    int serving = 0;
    boolean alone = false;
    for (Map.Entry<String, @Nullable ServerReport> entry : reports.entrySet()) {
      ServerReport report = entry.getValue();
      if (report == null) {
        findings.add(
            Finding.warning(
                entry.getKey() + " does not answer: one more failure may end the quorum"));
      } else if (report.serves()) {
        serving++;
        alone |= report.mode().equals("standalone");
        findings.add(
            Finding.ok(
                entry.getKey()
                    + " serves as "
                    + report.mode()
                    + ", latency min/avg/max "
                    + report.latency()
                    + " ms"));
      } else if (report.isIdle()) {
        findings.add(Finding.warning(entry.getKey() + " is up and serves nobody: no quorum?"));
      } else {
        findings.add(Finding.ok(entry.getKey() + " does not tell (4lw.commands.whitelist)"));
      }
    }
    if (alone) {
      findings.add(Finding.warning("a single server: no lock can be taken while it is down"));
    } else if (serving == 1) {
      findings.add(
          Finding.warning("only one server is named or answers: name all, so that one may fail"));
    }
    return findings;
  }

  static List<Finding> versions(String host, @Nullable ServerReport report) {
    if (report == null || report.version().isEmpty()) {
      return List.of();
    }
    String server = host + " runs ZooKeeper " + report.version();
    if (report.isOlderThan(3, 6)) {
      return List.of(
          Finding.danger(server + ": too old, Holdfast needs 3.6 to tell what a session holds"));
    }
    if (report.isOlderThan(3, 8)) {
      return List.of(
          Finding.warning(
              server
                  + ": no longer maintained, and without the repairs of servers that differ after"
                  + " a crash of the leader; take 3.8 or later"));
    }
    return List.of(Finding.ok(server));
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
    return session.timeout().compareTo(origin.sessionTimeout()) < 0
        ? Finding.warning(
            text
                + "; asked for "
                + origin.sessionTimeout()
                + ": raise maxSessionTimeout on all servers, or ask for less")
        : Finding.ok(text);
  }

  private Finding permissions() {
    return origin.acl().equals(ZooDefs.Ids.OPEN_ACL_UNSAFE)
        ? Finding.warning(
            "nodes are open to everybody who reaches the server; log in to keep them to yourself")
        : Finding.ok("nodes are open to their creator only");
  }
}
