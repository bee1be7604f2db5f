package dev.holdfast.etcd;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;

/** What an etcd server counts. */
final class Metrics {

  private static final Pattern STARTED =
      Pattern.compile("(?m)^grpc_server_started_total\\{grpc_method=\"(\\w+)\".*} (\\S+)$");

  private static final Pattern WATCH_MESSAGES =
      Pattern.compile("(?m)^grpc_server_msg_received_total\\{grpc_method=\"Watch\".*} (\\S+)$");

  private static final Pattern WATCHES =
      Pattern.compile("(?m)^etcd_debugging_mvcc_watcher_total (\\S+)$");

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI uri;

  Metrics(String endpoint) {
    uri = URI.create(endpoint + "/metrics");
  }

  /** How many messages it has received on streams of watches. */
  long watchMessages() {
    return sum(WATCH_MESSAGES);
  }

  /** How many watches it keeps. */
  long watches() {
    return sum(WATCHES);
  }

  private long sum(Pattern lines) {
    return lines
        .matcher(text())
        .results()
        .mapToLong(line -> (long) Double.parseDouble(line.group(1)))
        .sum();
  }

  /** How many requests of these methods it has taken; of all if none is named. */
  long requests(String... methods) {
    return STARTED
        .matcher(text())
        .results()
        .filter(line -> methods.length == 0 || java.util.List.of(methods).contains(line.group(1)))
        .mapToLong(line -> (long) Double.parseDouble(line.group(2)))
        .sum();
  }

  private String text() {
    try {
      HttpRequest request = HttpRequest.newBuilder(uri).build();
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
