package dev.holdfast.redis.inspect;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.redis.client.ServerInfo;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.spi.support.ServerVersion;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/** Looks for what endangers locks: eviction, no persistence, replicas, an old version. */
public final class StoreDiagnosis {

  /** The setting that decides about eviction. */
  public static final String POLICY = "maxmemory-policy";

  private static final String DENIED =
      "%s cannot be read by this user: check it yourself, or allow the command %s";

  private StoreDiagnosis() {}

  /**
   * Asks one server.
   *
   * @param findings what there is to say about it
   * @param settings that they need
   */
  public static CompletableFuture<Diagnosis> of(
      StoreConnection connection,
      Function<ServerInfo, List<Finding>> findings,
      String... settings) {
    return connection
        .requests()
        .send("TIME command", () -> connection.commands().time())
        .thenCombine(
            ServerInfo.of(connection, settings),
            (time, info) ->
                new Diagnosis(
                    Instant.ofEpochSecond(
                        Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000),
                    findings.apply(info)));
  }

  /** Asks the server of a store. */
  public static CompletableFuture<Diagnosis> of(StoreConnection connection, Finding encryption) {
    return of(
        connection,
        info -> Stream.concat(findings(info).stream(), Stream.of(encryption)).toList(),
        POLICY);
  }

  static List<Finding> findings(ServerInfo info) {
    return info.isReadable()
        ? List.of(eviction(info), persistence(info), replicas(info), version(info))
        : List.of(
            eviction(info), Finding.warning(DENIED.formatted("the state of the server", "INFO")));
  }

  public static Finding eviction(ServerInfo info) {
    String policy = info.text(POLICY, info.text("maxmemory_policy", ""));
    if (policy.isEmpty()) {
      return Finding.warning(DENIED.formatted(POLICY, "CONFIG GET"));
    }
    return policy.equals("noeviction")
        ? Finding.ok("maxmemory-policy is noeviction: no lock is dropped for lack of memory")
        : Finding.danger(
            ("maxmemory-policy is %s: a full server drops locks that are held; set it to"
                    + " noeviction, or give locks a dedicated server")
                .formatted(policy));
  }

  private static Finding persistence(ServerInfo info) {
    return info.text("aof_enabled", "0").equals("1")
        ? Finding.ok(
            "append-only file on: a restart forgets at most what was not yet written (appendfsync)")
        : Finding.warning(
            "no append-only file: a restarted server has forgotten who held what; set appendonly"
                + " yes, or keep it down for the longest ttl");
  }

  private static Finding replicas(ServerInfo info) {
    if (info.isReplica()) {
      return Finding.danger("this is a replica: it takes no writes; give the master's address");
    }
    String replicas = info.text("connected_slaves", "0");
    return replicas.equals("0")
        ? Finding.ok("no replica: there is no fail-over that could lose a grant")
        : Finding.warning(
            replicas
                + " replica(s), which get writes late: a fail-over may lose a grant and allow a"
                + " second holder; guard the resource with a fence, see also wait-for-replicas");
  }

  public static Finding version(ServerInfo info) {
    String valkey = info.text("valkey_version", "");
    return valkey.isEmpty()
        ? ServerVersion.finding("Redis", info.text("redis_version", ""), 6, 2)
        : Finding.ok("Valkey " + valkey);
  }
}
