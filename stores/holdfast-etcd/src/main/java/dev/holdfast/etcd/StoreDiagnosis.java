package dev.holdfast.etcd;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.ServerVersion;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds what endangers locks in etcd: members that are silent, old, or slow. Thread-safe. */
final class StoreDiagnosis {

  private static final long SHORTEST_TTL = 2;

  private final Calls calls;
  private final RequestOp probe;

  StoreDiagnosis(Calls calls, Keys keys) {
    this.calls = calls;
    this.probe = keys.queue("holdfast").get(1);
  }

  /** A read that is permitted. */
  CompletableFuture<TxnResponse> probe(String verb, Deadline deadline) {
    return calls.read(verb, "", probe, deadline);
  }

  /**
   * What a member reports about itself.
   *
   * @param status empty if it does not answer
   * @param silence why it does not, null if it does
   */
  record Health(String member, StatusResponse status, @Nullable String silence) {}

  CompletableFuture<Diagnosis> diagnose() {
    Deadline deadline = calls.deadline();
    IntStream numbers = IntStream.range(0, calls.members.size());
    return AllAnswers.of(numbers.mapToObj(number -> health(number, deadline)).toList())
        .thenCombine(
            AllAnswers.of(List.of(majority(deadline), shortestLease(deadline))),
            (healths, requests) -> {
              List<Finding> findings = findings(healths);
              findings.addAll(connections());
              findings.addAll(requests);
              return new Diagnosis(null, findings);
            });
  }

  private CompletableFuture<Health> health(int member, Deadline deadline) {
    String name = calls.members.name(member);
    return calls
        .status(member, deadline)
        .thenApply(status -> new Health(name, status, null))
        .exceptionally(e -> new Health(name, StatusResponse.getDefaultInstance(), Calls.reason(e)));
  }

  static List<Finding> findings(List<Health> members) {
    List<Finding> findings = new ArrayList<>();
    TreeSet<String> versions = new TreeSet<>();
    long term = members.stream().mapToLong(health -> health.status.getRaftTerm()).max().orElse(0);
    for (Health health : members) {
      StatusResponse status = health.status;
      if (health.silence != null) {
        findings.add(Finding.warning(health.member + " does not answer (" + health.silence + ")"));
        continue;
      }
      versions.add(status.getVersion());
      if (status.getLeader() == 0) {
        findings.add(Finding.danger(health.member + " knows no leader: no lock can be acquired"));
      }
      if (status.getRaftTerm() < term) {
        findings.add(
            Finding.warning(
                health.member
                    + " reports term "
                    + status.getRaftTerm()
                    + ", another member "
                    + term
                    + ": until it catches up, do not rely on renewals that it answers"));
      }
      status
          .getErrorsList()
          .forEach(error -> findings.add(Finding.danger(health.member + ": " + error)));
    }
    versions.forEach(version -> findings.add(ServerVersion.finding("etcd", version, 3, 4)));
    findings.add(
        members.size() == 1
            ? Finding.warning(
                "the URL names one member: if it fails nothing is answered; name all of them")
            : Finding.ok("the URL names " + members.size() + " members"));
    return findings;
  }

  /** What the caller's own connections carry is not known. */
  private List<Finding> connections() {
    if (!calls.members.ours) {
      return List.of();
    }
    Finding user =
        calls.login.isNeeded()
            ? Finding.ok("requests carry a user")
            : Finding.warning(
                "requests carry no user: any client that reaches this etcd, or has a certificate"
                    + " that it trusts, may break locks");
    Encryption encryption = Encryption.of(calls.url.startsWith("etcds:"));
    return List.of(user, encryption.finding(calls.members.addresses(), "use etcds://"));
  }

  private CompletableFuture<Finding> majority(Deadline deadline) {
    long begun = calls.ticker.nanoTime();
    return probe("read", deadline)
        .thenApply(read -> latency(Duration.ofNanos(calls.ticker.nanoTime() - begun)))
        .exceptionally(e -> Finding.danger("no read by the majority: " + Calls.reason(e)));
  }

  private Finding latency(Duration took) {
    String text = "a read by the majority took " + took.toMillis() + " ms";
    return took.multipliedBy(10).compareTo(calls.timeout) > 0
        ? Finding.warning(text + ", more than a tenth of the operation time-out")
        : Finding.ok(text);
  }

  /**
   * etcd grants no lease shorter than one and a half of its election time-out, and only a grant
   * shows that. The lease is revoked at once, and no key is ever on it.
   */
  private CompletableFuture<Finding> shortestLease(Deadline deadline) {
    return calls
        .grant(SHORTEST_TTL, deadline)
        .thenCompose(
            granted -> calls.revoke(granted.getID(), deadline).handle((ended, e) -> granted))
        .thenApply(StoreDiagnosis::shortest)
        .exceptionally(e -> Finding.danger("no lease: " + Calls.reason(e)));
  }

  private static Finding shortest(LeaseGrantResponse granted) {
    long seconds = granted.getTTL();
    return seconds <= SHORTEST_TTL
        ? Finding.ok("a lease of " + seconds + " s is granted")
        : Finding.warning(
            "no lease is shorter than "
                + seconds
                + " s, because of a long election time-out: a dead holder with a shorter ttl is"
                + " replaced that late");
  }
}
