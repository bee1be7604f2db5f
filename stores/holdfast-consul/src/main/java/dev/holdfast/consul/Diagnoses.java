package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockOptions;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Encryption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Whether locks are safe in this Consul. */
final class Diagnoses {

  private final Members members;
  private final Transport transport;
  private final Keys keys;
  private final Duration timeout;
  private final Duration minTtl;

  Diagnoses(Members members, Transport transport, Keys keys, Duration timeout, Duration minTtl) {
    this.members = members;
    this.transport = transport;
    this.keys = keys;
    this.timeout = timeout;
    this.minTtl = minTtl;
  }

  /** Asks each agent for itself: one that is wrong among several is found only so. */
  CompletableFuture<Diagnosis> make() {
    CompletableFuture<List<Finding>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (String agent : members.addresses()) {
      all =
          all.thenCombine(
              quorum(agent),
              (findings, finding) -> {
                findings.add(finding);
                return findings;
              });
    }
    String agent = members.address(members.current());
    return all.thenCombine(
            get(agent, "/v1/status/peers")
                .thenCombine(get(agent, "/v1/agent/self"), this::settings),
            (findings, more) -> {
              findings.addAll(more);
              return findings;
            })
        .thenApply(findings -> new Diagnosis(null, findings));
  }

  // Which leader an agent knows says little: it may be cut off and not have noticed. A read that is
  // answered by a leader which has asked a majority says it all.
  private CompletableFuture<Finding> quorum(String agent) {
    return get(agent, "/v1/status/leader")
        .thenCompose(
            known -> {
              if (known == null || known.status() != 200) {
                return CompletableFuture.completedFuture(
                    Finding.warning(
                        agent
                            + " does not answer: correct its address in the URL, or take it out"));
              }
              long start = System.nanoTime();
              return send(agent, "PUT", "/v1/txn?consistent", keys.reading().json())
                  .thenApply(answer -> quorum(agent, answer, System.nanoTime() - start));
            });
  }

  private static Finding quorum(String agent, @Nullable Answer answer, long nanos) {
    if (answer == null || answer.status() >= 500) {
      return Finding.danger(
          agent
              + " reaches no leader with a majority of the servers: nothing can be locked through"
              + " it ("
              + (answer == null ? "no answer" : answer.body().strip())
              + ")");
    }
    long millis = Duration.ofNanos(nanos).toMillis();
    return Finding.ok(agent + " reaches the leader, which has a majority (" + millis + " ms)");
  }

  private Finding encryption() {
    List<String> agents = members.addresses();
    return Encryption.of(agents.stream().allMatch(agent -> agent.startsWith("https:")))
        .finding(
            agents.stream().map(agent -> agent.replaceFirst("https?://", "")).toList(),
            "use consuls://");
  }

  private List<Finding> settings(@Nullable Answer peers, @Nullable Answer self) {
    List<Finding> findings = new ArrayList<>();
    findings.add(encryption());
    if (peers != null && peers.status() == 200) {
      findings.add(servers(JsonParser.parseString(peers.body()).getAsJsonArray().size()));
    }
    if (self == null || self.status() != 200) {
      findings.add(
          Finding.warning(
              "version and settings are unknown: the token may not read the agent (agent:read)"));
      return findings;
    }
    JsonObject agent = JsonParser.parseString(self.body()).getAsJsonObject();
    findings.add(Versions.finding(text(agent.getAsJsonObject("Config"), "Version")));
    JsonObject settings = agent.getAsJsonObject("DebugConfig");
    findings.add(ttl(text(settings, "SessionTTLMin"), minTtl));
    findings.add(takeover());
    findings.add(
        text(settings, "ACLsEnabled").equals("true")
            ? Finding.ok("access is controlled (ACL)")
            : Finding.warning(
                "access is not controlled (ACL): whoever reaches Consul can take and delete locks"));
    return findings;
  }

  static Finding servers(int count) {
    if (count == 1) {
      return Finding.warning("there is one server: if it is lost, so are locks; run three");
    }
    return count % 2 == 1
        ? Finding.ok(count + " servers")
        : Finding.warning(count + " servers stand no more failures than " + (count - 1) + " do");
  }

  /** The agent's own setting; a client agent need not have that of the servers. */
  static Finding ttl(String text, Duration wanted) {
    if (!text.matches("[0-9hms.]+")) {
      return Finding.warning("the agent does not tell the shortest ttl of sessions");
    }
    Duration least = Duration.parse("PT" + text.toUpperCase(java.util.Locale.ROOT));
    // 0 stands for the 10 s that are usual.
    Duration shortest = least.isZero() ? Duration.ofSeconds(10) : least;
    return shortest.compareTo(wanted) > 0
        ? Finding.warning(
            "sessions shorter than "
                + shortest.toSeconds()
                + " s are refused (session_ttl_min), the URL allows "
                + wanted.toSeconds()
                + " s: set min-ttl")
        : Finding.ok("sessions may be as short as " + shortest.toSeconds() + " s");
  }

  /** Consul has no setting for it, but whoever looks for a lock that stays taken should know. */
  private static Finding takeover() {
    long ttl = LockOptions.defaults().ttl().toSeconds();
    return Finding.ok(
        "a dead holder is replaced after up to 2 ttls ("
            + 2 * ttl
            + " s by default); a change of leader meanwhile adds up to 2 more ("
            + 4 * ttl
            + " s, and the election)");
  }

  private CompletableFuture<@Nullable Answer> get(String agent, String path) {
    return send(agent, "GET", path, "");
  }

  private CompletableFuture<@Nullable Answer> send(
      String agent, String method, String path, String body) {
    CompletableFuture<@Nullable Answer> result = new CompletableFuture<>();
    var unused =
        transport
            .send(agent, method, path, body, timeout)
            .whenComplete((answer, failure) -> result.complete(failure == null ? answer : null));
    return result;
  }

  private static String text(JsonObject object, String name) {
    JsonElement value = object == null ? null : object.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }
}
