package dev.holdfast.redis;

import dev.holdfast.StoreException;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What a server says about itself.
 *
 * @param fields of the command INFO; empty if the user may not ask
 */
record ServerInfo(Map<String, String> fields) {

  static CompletableFuture<ServerInfo> of(Link link) {
    return link.calls()
        .send("question about itself", "", () -> link.commands().info())
        .exceptionallyCompose(
            failure ->
                failure.getCause() instanceof RedisCommandExecutionException
                    ? CompletableFuture.completedFuture("")
                    : CompletableFuture.failedFuture(failure))
        .thenApply(ServerInfo::parse);
  }

  static ServerInfo parse(String text) {
    Map<String, String> fields = new HashMap<>();
    for (String line : text.split("\r?\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return new ServerInfo(Map.copyOf(fields));
  }

  String text(String field, String otherwise) {
    return fields.getOrDefault(field, otherwise);
  }

  /** Refuses a server that would answer some scripts and not others. */
  void check(String url, boolean cluster) {
    boolean isCluster = "1".equals(fields.get("cluster_enabled"));
    if (isCluster && !cluster) {
      throw new StoreException(
          "", "Cannot use " + url + ": it is part of a Cluster; write redis-cluster://");
    }
    if ("slave".equals(fields.get("role")) && !cluster) {
      throw new StoreException(
          "", "Cannot use " + url + ": it is a replica; give the address of its master");
    }
  }
}
