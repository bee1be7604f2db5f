package dev.holdfast.redis;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the server's own words mean for locks. */
final class Diagnoses {

  private static final String DENIED =
      "%s cannot be read by this user; look yourself, or allow the command %s";

  private Diagnoses() {}

  static CompletableFuture<Diagnosis> of(Link link, Servers servers) {
    CompletableFuture<ServerInfo> info = ServerInfo.of(link);
    CompletableFuture<Map<String, String>> policy = setting(link, "maxmemory-policy");
    return time(link)
        .thenCombine(
            info.thenCombine(policy, Diagnoses::findings),
            (time, findings) -> {
              findings.add(servers.encryption());
              return new Diagnosis(time, findings);
            });
  }

  static CompletableFuture<Instant> time(Link link) {
    return link.calls()
        .send("question for the time", "", () -> link.commands().time())
        .thenApply(Diagnoses::instant);
  }

  /** Empty if the user may not ask. */
  static CompletableFuture<Map<String, String>> setting(Link link, String name) {
    return link.calls()
        .send("question for " + name, "", () -> link.commands().configGet(name))
        .exceptionally(denied -> Map.of());
  }

  static List<Finding> findings(ServerInfo info, Map<String, String> settings) {
    List<Finding> findings = new ArrayList<>();
    findings.add(eviction(info, settings));
    if (info.fields().isEmpty()) {
      findings.add(Finding.warning(DENIED.formatted("the state of the server", "INFO")));
      return findings;
    }
    findings.add(persistence(info));
    findings.add(replicas(info));
    findings.add(version(info));
    return findings;
  }

  static Finding eviction(ServerInfo info, Map<String, String> settings) {
    String policy = settings.getOrDefault("maxmemory-policy", info.text("maxmemory_policy", ""));
    if (policy.isEmpty()) {
      return Finding.warning(DENIED.formatted("maxmemory-policy", "CONFIG GET"));
    }
    if (policy.equals("noeviction")) {
      return Finding.ok("maxmemory-policy is noeviction: no lock is dropped for lack of memory");
    }
    return Finding.danger(
        "maxmemory-policy is "
            + policy
            + ": a full server drops locks that are held; set it to noeviction, or give locks a server of their own");
  }

  private static Finding persistence(ServerInfo info) {
    if (info.text("aof_enabled", "0").equals("1")) {
      return Finding.ok(
          "append-only file on: a restart forgets at most what was not yet written (appendfsync)");
    }
    return Finding.warning(
        "no append-only file: a restarted server has forgotten who held what; set appendonly yes,"
            + " or keep it down for the longest ttl");
  }

  private static Finding replicas(ServerInfo info) {
    if (info.text("role", "").equals("slave")) {
      return Finding.danger("this is a replica: it takes no writes; give the master's address");
    }
    String replicas = info.text("connected_slaves", "0");
    return replicas.equals("0")
        ? Finding.ok("no replica: there is no fail-over that could lose a grant")
        : Finding.warning(
            replicas
                + " replica(s), which get writes late: a fail-over may lose a grant and let in a second"
                + " holder; guard the resource with a fence, see also wait-for-replicas");
  }

  static Finding version(ServerInfo info) {
    String valkey = info.text("valkey_version", "");
    String redis = info.text("redis_version", "0");
    String name = valkey.isEmpty() ? "Redis " + redis : "Valkey " + valkey;
    return valkey.isEmpty() && isOlder(redis)
        ? Finding.warning(name + " is older than 6.2, the oldest that is tested")
        : Finding.ok(name);
  }

  private static boolean isOlder(String version) {
    String[] parts = version.split("\\.", -1);
    try {
      int major = Integer.parseInt(parts[0]);
      int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
      return major < 6 || (major == 6 && minor < 2);
    } catch (NumberFormatException e) {
      return true;
    }
  }

  private static Instant instant(List<String> time) {
    return Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
  }
}
