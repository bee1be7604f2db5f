package dev.holdfast.zookeeper;

import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.StoreUrl.Host;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;

/**
 * The answer of one server to the command {@code srvr}, which is allowed unless an operator has
 * disabled it. Immutable.
 *
 * @param text the whole answer, empty if there is none
 * @param lines the text before and after each colon
 */
record ServerReport(String host, String text, Map<String, String> lines) {

  /** One thread per request, because sockets block. */
  private static final Executor OWN_THREAD =
      task -> {
        Thread thread = new Thread(task, "holdfast-zookeeper-doctor");
        thread.setDaemon(true);
        thread.start();
      };

  /**
   * Asks a server; blocks for at most twice the time-out.
   *
   * @throws IOException if the server does not answer, with a message that says why
   */
  static ServerReport ask(Host host, Duration timeout) throws IOException {
    int millis = (int) Math.max(1, timeout.toMillis());
    try {
      return parse(
          host.toString(),
          FourLetterWordMain.send4LetterWord(host.name(), host.port(), "srvr", false, millis));
    } catch (SSLContextException e) {
      throw new IOException(e); // it cannot come without TLS
    }
  }

  /** Asks all servers at the same time. */
  static CompletableFuture<List<ServerReport>> askAll(List<Host> hosts, Duration timeout) {
    return AllAnswers.of(
        hosts.stream()
            .map(host -> CompletableFuture.supplyAsync(() -> askIfUp(host, timeout), OWN_THREAD))
            .toList());
  }

  private static ServerReport askIfUp(Host host, Duration timeout) {
    try {
      return ask(host, timeout);
    } catch (IOException e) {
      return parse(host.toString(), "");
    }
  }

  static ServerReport parse(String host, String answer) {
    return new ServerReport(
        host,
        answer,
        answer
            .lines()
            .map(line -> line.split(": ", 2))
            .filter(parts -> parts.length == 2)
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a)));
  }

  /** {@return true if it does not answer} */
  boolean isSilent() {
    return text.isEmpty();
  }

  /** {@return true if it reports that it serves requests} */
  boolean serves() {
    return lines.containsKey("Mode");
  }

  /** {@return true if it reports that it does not serve requests: it has no quorum} */
  boolean isIdle() {
    return text.contains("not currently serving requests");
  }

  /** {@return standalone, leader, follower or observer} */
  String mode() {
    return lines.getOrDefault("Mode", "not serving");
  }

  /** {@return for example 3.9.5; empty if it reports none} */
  String version() {
    String version = lines.getOrDefault("Zookeeper version", "").split("[-, ]", 2)[0];
    return version.matches("\\d+(\\.\\d+)+") ? version : "";
  }

  /** {@return the shortest, average and longest time of requests in milliseconds} */
  String latency() {
    return lines.getOrDefault("Latency min/avg/max", "unknown");
  }

  /** {@return the number of requests that it has received} */
  long received() {
    return Long.parseLong(lines.getOrDefault("Received", "0"));
  }

  /** {@return true if its version is older than this one} */
  boolean isOlderThan(String other) {
    return Version.parse(version()).compareTo(Version.parse(other)) < 0;
  }
}
