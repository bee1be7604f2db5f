package dev.holdfast.redis.redlock;

import dev.holdfast.redis.DocumentedUser;
import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Servers that know nothing of each other, set up as the documentation says. */
final class RedlockServers implements AutoCloseable {

  private static final Pattern SET_UP = Pattern.compile("redis-cli EVAL \"(.*?)\"", Pattern.DOTALL);

  private final List<RedisServer> nodes;

  private RedlockServers(List<RedisServer> nodes) {
    this.nodes = nodes;
  }

  /** As many as given, with a longest ttl. */
  static RedlockServers start(int count, Duration longestTtl) {
    return of(RedisServer.startIndependent(count), longestTtl);
  }

  /** The same, with clocks that can be set. */
  static RedlockServers startWithClocks(int count, Duration longestTtl) {
    return of(Stream.generate(RedisServer::startWithClock).limit(count).toList(), longestTtl);
  }

  private static RedlockServers of(List<RedisServer> nodes, Duration longestTtl) {
    nodes.forEach(node -> setUp(node, 0, longestTtl));
    return new RedlockServers(nodes);
  }

  /** Started once for all tests that leave them alone. */
  static RedlockServers shared() {
    return AtFirstUse.SERVERS;
  }

  /** What an operator does once. */
  static void setUp(RedisServer node, long lastToken, Duration longestTtl) {
    node.command(
        "EVAL",
        documentedScript(),
        "0",
        Long.toString(lastToken),
        Long.toString(longestTtl.toMillis()));
  }

  private static String documentedScript() {
    Matcher script = SET_UP.matcher(DocumentedUser.read("redlock.md"));
    if (!script.find()) {
      throw new IllegalStateException("docs/stores/redlock.md does not tell how to set up a node");
    }
    return script.group(1);
  }

  RedisServer node(int index) {
    return nodes.get(index);
  }

  List<RedisServer> nodes() {
    return nodes;
  }

  String url() {
    return "redlock://"
        + nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
  }

  StoreFixture fixture() {
    return new RedisFixture(new RedlockProvider(), url());
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  private static final class AtFirstUse {
    static final RedlockServers SERVERS = start(5, Duration.ofSeconds(60));
  }
}
