package dev.holdfast.consul;

import dev.holdfast.servers.ConsulServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The requests that a server has counted. */
public record Requests(ConsulServer server) {

  /** Settings that make a server count requests. */
  public static final String SETTINGS =
      "{\"session_ttl_min\": \"1s\","
          + " \"telemetry\": {\"prometheus_retention_time\": \"1h\", \"disable_hostname\": true}}";

  private static final Pattern COUNT =
      Pattern.compile(
          "(?m)^consul_http_[A-Z]+_v1_(txn|session_(?:create|renew|destroy)(?:__)?)_count (\\d+)$");

  /** Counts requests by the start of their names: txn, session; without blocking queries. */
  public long of(String... kinds) {
    long sum = 0;
    Matcher counts = COUNT.matcher(text());
    while (counts.find()) {
      for (String kind : kinds) {
        if (counts.group(1).startsWith(kind)) {
          sum += Long.parseLong(counts.group(2));
        }
      }
    }
    return sum;
  }

  private String text() {
    try {
      return server.get("/v1/agent/metrics?format=prometheus");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
