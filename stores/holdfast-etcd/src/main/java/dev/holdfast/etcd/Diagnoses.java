package dev.holdfast.etcd;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Whether locks are safe in this etcd. */
final class Diagnoses {

  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\..*");
  private static final int OLDEST_MINOR = 4; // of 3
  private static final long SHORTEST_TTL = 2;

  private final String url;
  private final Calls calls;
  private final Members members;
  private final Login login;
  private final Ticker ticker;
  private final RangeRequest probe;

  /**
   * Of one store.
   *
   * @param url without secrets
   * @param probe what it may read
   */
  Diagnoses(
      String url, Calls calls, Members members, Login login, Ticker ticker, RangeRequest probe) {
    this.url = url;
    this.calls = calls;
    this.members = members;
    this.login = login;
    this.ticker = ticker;
    this.probe = probe;
  }

  /**
   * What a member says about itself.
   *
   * @param status null if it does not answer
   * @param silence why it does not
   */
  record Health(String member, @Nullable StatusResponse status, String silence) {}

  CompletableFuture<Diagnosis> diagnose() {
    Deadline deadline = calls.deadline();
    CompletableFuture<List<Health>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (int i = 0; i < members.size(); i++) {
      all =
          all.thenCombine(
              health(i, deadline),
              (list, one) -> {
                list.add(one);
                return list;
              });
    }
    return all.thenApply(Diagnoses::findings)
        .thenApply(this::plusConnections)
        .thenCombine(majority(deadline), Diagnoses::plus)
        .thenCombine(shortestLease(deadline), Diagnoses::plus)
        .thenApply(findings -> new Diagnosis(null, findings));
  }

  private CompletableFuture<Health> health(int member, Deadline deadline) {
    String name = members.name(member);
    return calls
        .status(member, deadline)
        .handle(
            (status, failure) ->
                failure == null
                    ? new Health(name, status, "")
                    : new Health(name, null, Failures.reason(failure)));
  }

  static List<Finding> findings(List<Health> members) {
    List<Finding> findings = new ArrayList<>();
    TreeSet<String> versions = new TreeSet<>();
    long term =
        members.stream()
            .map(Health::status)
            .filter(Objects::nonNull)
            .mapToLong(StatusResponse::getRaftTerm)
            .max()
            .orElse(0);
    for (Health health : members) {
      StatusResponse status = health.status;
      if (status == null) {
        findings.add(
            Finding.warning(
                "etcd at " + health.member + " does not answer (" + health.silence + ")"));
        continue;
      }
      versions.add(status.getVersion());
      if (status.getLeader() == 0) {
        findings.add(
            Finding.danger("etcd at " + health.member + " knows no leader: it can lock nothing"));
      }
      if (status.getRaftTerm() < term) {
        findings.add(
            Finding.warning(
                "etcd at "
                    + health.member
                    + " reports term "
                    + status.getRaftTerm()
                    + ", another member "
                    + term
                    + ": until it catches up, do not rely on renewals that it answers"));
      }
      status
          .getErrorsList()
          .forEach(
              error -> findings.add(Finding.danger("etcd at " + health.member + ": " + error)));
    }
    versions.forEach(version -> findings.add(version(version)));
    findings.add(
        members.size() == 1
            ? Finding.warning(
                "the URL names one member: if it fails nothing is answered; name all of them")
            : Finding.ok("the URL names " + members.size() + " members"));
    return findings;
  }

  private static Finding version(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      return Finding.warning(
          "etcd reports the version '" + version + "', which is not a known format");
    }
    int major = Integer.parseInt(matcher.group(1));
    int minor = Integer.parseInt(matcher.group(2));
    return major < 3 || (major == 3 && minor < OLDEST_MINOR)
        ? Finding.warning(
            "etcd " + version + " is older than any version tested with Holdfast; use 3.4 or later")
        : Finding.ok("etcd " + version);
  }

  private List<Finding> plusConnections(List<Finding> findings) {
    if (login.isNeeded()) {
      findings.add(Finding.ok("requests carry a user"));
    } else if (members.areOurs()) { // what the caller's connections carry is not known
      findings.add(
          Finding.warning(
              "requests carry no user: whoever reaches this etcd, or has a certificate that it"
                  + " trusts, may break locks"));
    }
    if (members.areOurs()) {
      findings.add(encryption());
    }
    return findings;
  }

  private Finding encryption() {
    List<String> hosts = IntStream.range(0, members.size()).mapToObj(members::name).toList();
    return Encryption.of(url.startsWith("etcds:")).finding(hosts, "use etcds://");
  }

  private CompletableFuture<Finding> majority(Deadline deadline) {
    long begun = ticker.nanoTime();
    return calls
        .range("read", "", probe, deadline)
        .handle(
            (read, failure) ->
                failure == null
                    ? latency(Duration.ofNanos(ticker.nanoTime() - begun))
                    : Finding.danger("no read by the majority: " + Failures.reason(failure)));
  }

  private Finding latency(Duration took) {
    String text = "a read by the majority took " + took.toMillis() + " ms";
    return took.multipliedBy(10).compareTo(calls.timeout()) > 0
        ? Finding.warning(text + ", more than a tenth of the operation time-out")
        : Finding.ok(text);
  }

  /**
   * etcd grants no lease shorter than one and a half of its election time-out, and tells only
   * whoever takes one. It is given back at once, and no key is ever on it.
   */
  private CompletableFuture<Finding> shortestLease(Deadline deadline) {
    return calls
        .grant(SHORTEST_TTL, deadline)
        .thenCompose(
            granted -> calls.revoke(granted.getID(), deadline).handle((ended, e) -> granted))
        .handle(
            (granted, failure) ->
                failure == null
                    ? shortest(granted)
                    : Finding.danger("no lease: " + Failures.reason(failure)));
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

  private static List<Finding> plus(List<Finding> findings, Finding one) {
    findings.add(one);
    return findings;
  }
}
