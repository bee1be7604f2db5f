package dev.holdfast.redis.client;

import dev.holdfast.StoreException;
import dev.holdfast.spi.support.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What a server reports about itself.
 *
 * @param fields of the command INFO, and settings; only those that the user may read
 */
public record ServerInfo(Map<String, String> fields) {

  /** Asks a server, also for these settings. */
  public static CompletableFuture<ServerInfo> of(StoreConnection connection, String... settings) {
    Requests requests = connection.requests();
    CompletableFuture<Map<String, String>> fields =
        requests
            .send("INFO command", () -> connection.commands().info())
            .thenApply(text -> parse(text).fields)
            .exceptionallyCompose(
                failure ->
                    Failures.unwrap(failure).getCause() instanceof RedisCommandExecutionException
                        ? CompletableFuture.completedFuture(Map.of())
                        : CompletableFuture.failedFuture(failure));
    for (String setting : settings) {
      fields =
          fields.thenCombine(
              requests
                  .send("CONFIG GET command", () -> connection.commands().configGet(setting))
                  .exceptionally(denied -> Map.of()),
              ServerInfo::joined);
    }
    return fields.thenApply(ServerInfo::new);
  }

  private static Map<String, String> joined(Map<String, String> one, Map<String, String> other) {
    Map<String, String> both = new HashMap<>(one);
    both.putAll(other);
    return both;
  }

  public static ServerInfo parse(String text) {
    Map<String, String> fields = new HashMap<>();
    for (String line : text.split("\r?\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return new ServerInfo(Map.copyOf(fields));
  }

  public String text(String field, String otherwise) {
    return fields.getOrDefault(field, otherwise);
  }

  /** {@return whether the user may run INFO} */
  public boolean isReadable() {
    return fields.containsKey("redis_version");
  }

  public boolean isReplica() {
    return "slave".equals(fields.get("role"));
  }

  /** Refuses a server that would answer some scripts and not others. */
  public void check(String url, boolean cluster) {
    boolean isCluster = "1".equals(fields.get("cluster_enabled"));
    if (isCluster && !cluster) {
      throw new StoreException(
          "", "Cannot use " + url + ": it is part of a Cluster; write redis-cluster://");
    }
    if (isReplica() && !cluster) {
      throw new StoreException(
          "", "Cannot use " + url + ": it is a replica; give the address of its master");
    }
  }
}
