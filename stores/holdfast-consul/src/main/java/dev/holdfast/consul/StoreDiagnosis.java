package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockOptions;
import dev.holdfast.consul.HttpTransport.Answer;
import dev.holdfast.spi.Encryption;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.ServerVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out whether locks are safe in this Consul. Thread-safe. */
record StoreDiagnosis(HttpTransport transport, KeyPaths paths, Duration timeout, Duration minTtl) {

  /** Asks every agent: otherwise a wrong one among several would not be noticed. */
  CompletableFuture<Diagnosis> diagnose() {
    int agent = transport.current();
    return AllAnswers.of(
            IntStream.range(0, transport.agents().size()).mapToObj(this::quorum).toList())
        .thenCombine(
            send(agent, "GET", "/v1/status/peers", "")
                .thenCombine(send(agent, "GET", "/v1/agent/self", ""), this::settings),
            (quorums, settings) ->
                new Diagnosis(null, Stream.concat(quorums.stream(), settings.stream()).toList()));
  }

  // The leader that an agent knows may be cut off without having noticed. A read that is answered
  // by a leader which has asked a majority proves that there is one.
  private CompletableFuture<Finding> quorum(int number) {
    String agent = transport.agents().get(number);
    return send(number, "GET", "/v1/status/leader", "")
        .thenCompose(
            known -> {
              if (known == null || known.status() != 200) {
                return CompletableFuture.completedFuture(
                    Finding.warning(
                        agent + " does not answer: correct its address in the URL, or remove it"));
              }
              long start = System.nanoTime();
              return send(number, "PUT", "/v1/txn?consistent", paths.reading().json())
                  .thenApply(answer -> quorum(agent, answer, System.nanoTime() - start));
            });
  }

  private static Finding quorum(String agent, @Nullable Answer answer, long nanos) {
    if (answer == null || answer.status() >= 500) {
      return Finding.danger(
          agent
              + " reaches no leader with a majority of the servers: locks do not work through it ("
              + (answer == null ? "no answer" : answer.body().strip())
              + ")");
    }
    long millis = Duration.ofNanos(nanos).toMillis();
    return Finding.ok(agent + " reaches the leader, which has a majority (" + millis + " ms)");
  }

  private List<Finding> settings(@Nullable Answer peers, @Nullable Answer self) {
    List<Finding> findings = new ArrayList<>();
    List<String> agents = transport.agents();
    findings.add(
        Encryption.of(agents.stream().allMatch(agent -> agent.startsWith("https:")))
            .finding(
                agents.stream().map(agent -> agent.replaceFirst("https?://", "")).toList(),
                "use consuls://"));
    if (peers != null && peers.status() == 200) {
      findings.add(servers(JsonParser.parseString(peers.body()).getAsJsonArray().size()));
    }
    if (self == null || self.status() != 200) {
      findings.add(Finding.warning("version and settings are unknown: the token lacks agent:read"));
      return findings;
    }
    JsonObject agent = JsonParser.parseString(self.body()).getAsJsonObject();
    findings.add(version(text(agent.getAsJsonObject("Config"), "Version")));
    JsonObject settings = agent.getAsJsonObject("DebugConfig");
    findings.add(ttl(text(settings, "SessionTTLMin"), minTtl));
    findings.add(takeover());
    findings.add(
        text(settings, "ACLsEnabled").equals("true")
            ? Finding.ok("access is controlled (ACL)")
            : Finding.warning(
                "access is not controlled (ACL): any client that reaches Consul can delete locks"));
    return findings;
  }

  static Finding version(String version) {
    return version.matches("1\\.4\\..*|1\\.5\\.0.*")
        ? Finding.warning(
            "Consul "
                + version
                + ": a token with a rule for any prefix can delete any key, locks included"
                + " (Consul issue 5888); use 1.5.1 or later")
        : ServerVersion.finding("Consul", version, 1, 8);
  }

  static Finding servers(int count) {
    if (count == 1) {
      return Finding.warning("one server: if it is lost, so are all locks; run three");
    }
    return count % 2 == 1
        ? Finding.ok(count + " servers")
        : Finding.warning(count + " servers tolerate no more failures than " + (count - 1));
  }

  /** Judges the agent's own setting, which may differ from that of the servers. */
  static Finding ttl(String text, Duration wanted) {
    if (!text.matches("[0-9hms.]+")) {
      return Finding.warning(
          "the agent does not report the shortest ttl of sessions (session_ttl_min)");
    }
    Duration least = Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
    // 0 stands for the default of 10 s.
    Duration shortest = least.isZero() ? Duration.ofSeconds(10) : least;
    return shortest.compareTo(wanted) > 0
        ? Finding.warning(
            "sessions shorter than "
                + shortest.toSeconds()
                + " s are refused (session_ttl_min), but the URL allows "
                + wanted.toSeconds()
                + " s: set min-ttl")
        : Finding.ok("sessions may be as short as " + shortest.toSeconds() + " s");
  }

  /** Explains why a lock stays taken for a while after its holder died. */
  private static Finding takeover() {
    long ttl = LockOptions.defaults().ttl().toSeconds();
    return Finding.ok(
        "a dead holder is replaced after up to 2 ttls ("
            + 2 * ttl
            + " s by default); a change of leader meanwhile adds up to 2 more ("
            + 4 * ttl
            + " s, and the election)");
  }

  private CompletableFuture<@Nullable Answer> send(
      int agent, String method, String path, String body) {
    return transport
        .send(agent, method, path, body, timeout)
        .handle((answer, failure) -> failure == null ? answer : null);
  }

  private static String text(JsonObject object, String name) {
    JsonElement value = object == null ? null : object.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }
}
