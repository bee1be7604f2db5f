package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.consul.Transport.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Whether locks are safe in this Consul. */
final class Diagnoses {

  private final Members members;
  private final Transport transport;
  private final Duration timeout;
  private final Duration minTtl;

  Diagnoses(Members members, Transport transport, Duration timeout, Duration minTtl) {
    this.members = members;
    this.transport = transport;
    this.timeout = timeout;
    this.minTtl = minTtl;
  }

  /** Asks each agent for itself: one that is wrong among several is found only so. */
  CompletableFuture<Diagnosis> make() {
    CompletableFuture<List<Finding>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (String agent : members.addresses()) {
      all =
          all.thenCombine(
              leader(agent),
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

  private CompletableFuture<Finding> leader(String agent) {
    long start = System.nanoTime();
    return get(agent, "/v1/status/leader")
        .thenApply(
            answer -> {
              if (answer == null || answer.status() != 200) {
                return Finding.warning(
                    agent + " does not answer: correct its address in the URL, or take it out");
              }
              long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
              return answer.body().equals("\"\"")
                  ? Finding.danger(agent + " knows no leader: nothing can be locked through it")
                  : Finding.ok(agent + " knows the leader (" + millis + " ms)");
            });
  }

  private List<Finding> settings(@Nullable Answer peers, @Nullable Answer self) {
    List<Finding> findings = new ArrayList<>();
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

  private CompletableFuture<@Nullable Answer> get(String agent, String path) {
    CompletableFuture<@Nullable Answer> result = new CompletableFuture<>();
    var unused =
        transport
            .send(agent, "GET", path, "", timeout)
            .whenComplete((answer, failure) -> result.complete(failure == null ? answer : null));
    return result;
  }

  private static String text(JsonObject object, String name) {
    JsonElement value = object == null ? null : object.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }
}
