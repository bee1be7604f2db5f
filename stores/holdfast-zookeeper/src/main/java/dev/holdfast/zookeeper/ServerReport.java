package dev.holdfast.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one server tells about itself when it is asked {@code srvr}, which servers answer to anyone
 * unless they were told not to.
 *
 * @param text all of it
 * @param lines what stands before and after each colon
 */
record ServerReport(String text, Map<String, String> lines) {

  private static final int DEFAULT_PORT = 2181;
  private static final String VERSION = "Zookeeper version";

  /**
   * Asks a server; blocks for the time-out at most, twice.
   *
   * @param address {@code host[:port]}
   * @throws IOException if nobody answers there, with a message that says why
   */
  static ServerReport ask(String address, Duration timeout) throws IOException {
    return parse(tell(address, "srvr", timeout));
  }

  /** Sends one of ZooKeeper's four-letter words and returns the answer. */
  static String tell(String address, String word, Duration timeout) throws IOException {
    int millis = (int) Math.max(1, timeout.toMillis());
    try (Socket socket = new Socket()) {
      socket.connect(resolve(address), millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static InetSocketAddress resolve(String address) throws IOException {
    int colon = address.lastIndexOf(':');
    boolean port = colon > address.lastIndexOf(']');
    String host = port ? address.substring(0, colon) : address;
    InetSocketAddress resolved =
        new InetSocketAddress(
            host, port ? Integer.parseInt(address.substring(colon + 1)) : DEFAULT_PORT);
    if (resolved.isUnresolved()) {
      throw new IOException("unknown host");
    }
    return resolved;
  }

  static ServerReport parse(String answer) {
    return new ServerReport(
        answer,
        answer
            .lines()
            .map(line -> line.split(": ", 2))
            .filter(parts -> parts.length == 2)
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a)));
  }

  /** Whether it serves and says so. */
  boolean serves() {
    return lines.containsKey("Mode");
  }

  /** Whether it says that it does not serve: it has no quorum. */
  boolean isIdle() {
    return text.contains("not currently serving requests");
  }

  /** Standalone, leader, follower or observer. */
  String mode() {
    return lines.getOrDefault("Mode", "not serving");
  }

  /** For example 3.9.5. */
  String version() {
    return lines.getOrDefault(VERSION, "").split("[-, ]", 2)[0];
  }

  /** Milliseconds that requests took: least, average, most. */
  String latency() {
    return lines.getOrDefault("Latency min/avg/max", "unknown");
  }

  /** How many requests it has had. */
  long received() {
    return Long.parseLong(lines.getOrDefault("Received", "0"));
  }

  /** Whether its version is older than this one. */
  boolean isOlderThan(int major, int minor) {
    String[] parts = version().split("\\.");
    if (parts.length < 2 || !(parts[0] + parts[1]).matches("\\d{1,6}")) {
      return false;
    }
    int theirs = Integer.parseInt(parts[0]);
    return theirs < major || (theirs == major && Integer.parseInt(parts[1]) < minor);
  }
}
