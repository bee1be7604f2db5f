package dev.holdfast.redis;

import dev.holdfast.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store URL, taken apart: {@code
 * scheme://[user[:password]@]host[:port][,host…][/master][/database][?name=value…]}, with a master
 * only for Sentinel. User, password and values may be percent-encoded. No message shows a password.
 *
 * @param scheme one of redis, rediss, redis-sentinel, redis-cluster, redlock
 * @param nodes in the order of the URL
 * @param master what the Sentinels call it; empty without Sentinel
 * @param parameters those of {@link #PARAMETERS} that were given
 * @param text as messages may show it
 */
record RedisAddress(
    String scheme,
    List<Node> nodes,
    @Nullable String user,
    @Nullable String password,
    String master,
    int database,
    Map<String, String> parameters,
    String text) {

  static final Set<String> SCHEMES = Set.of("redis", "rediss", "redis-sentinel", "redis-cluster");

  private static final Set<String> PARAMETERS =
      Set.of(
          "prefix",
          "waitForReplicas",
          "sentinelUser",
          "sentinelPassword",
          "tls",
          "ca",
          "cert",
          "key",
          "keyPassword");
  private static final int REDIS_PORT = 6379;
  private static final int SENTINEL_PORT = 26379;

  /** One server. */
  record Node(String host, int port) {

    @Override
    public String toString() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  static RedisAddress parse(String url) {
    return new Parser(url).parse();
  }

  boolean isTls() {
    return scheme.equals("rediss") || "true".equals(parameters.get("tls"));
  }

  /** For each node an address of its own. */
  List<RedisAddress> each() {
    return nodes.stream()
        .map(
            node ->
                new RedisAddress(
                    isTls() ? "rediss" : "redis",
                    List.of(node),
                    user,
                    password,
                    "",
                    database,
                    parameters,
                    (isTls() ? "rediss://" : "redis://") + node))
        .toList();
  }

  RedisOptions options() {
    RedisOptions options = RedisOptions.defaults();
    String prefix = parameters.get("prefix");
    String replicas = parameters.get("waitForReplicas");
    options = prefix == null ? options : options.prefix(prefix);
    return replicas == null
        ? options
        : options.waitForReplicas(number("waitForReplicas", replicas, 100));
  }

  /** Without the password. */
  @Override
  public String toString() {
    return text;
  }

  private static int number(String what, String value, int max) {
    try {
      int number = Integer.parseInt(value);
      if (number >= 0 && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(what + " '" + value + "' is not a number from 0 to " + max);
  }

  /** Takes one URL apart, from its ends to its middle. */
  private static final class Parser {
    private final String text;
    private final String scheme;

    // Mutable state
    private String rest;

    Parser(String url) {
      text = StoreUrl.redact(url);
      scheme = StoreUrl.scheme(url);
      rest = url.substring(scheme.length() + 1);
    }

    RedisAddress parse() {
      if (!rest.startsWith("//")) {
        throw wrong("after the scheme comes //");
      }
      rest = rest.substring(2);
      // From the end, because a password may hold any character.
      int at = rest.lastIndexOf('@');
      String credentials = at < 0 ? null : rest.substring(0, at);
      rest = rest.substring(at + 1);
      Map<String, String> parameters = parameters(cut('?'));
      String path = cut('/');
      String master = scheme.equals("redis-sentinel") ? master(path) : "";
      int database = database(master.isEmpty() ? path : after(path, '/'));
      check(parameters, database);
      int colon = credentials == null ? -1 : credentials.indexOf(':');
      return new RedisAddress(
          scheme,
          nodes(),
          credentials == null || colon <= 0 ? null : decode(credentials.substring(0, colon)),
          credentials == null ? null : decode(credentials.substring(colon + 1)),
          decode(master),
          database,
          parameters,
          text);
    }

    private @Nullable String cut(char separator) {
      int index = rest.indexOf(separator);
      if (index < 0) {
        return null;
      }
      String cut = rest.substring(index + 1);
      rest = rest.substring(0, index);
      return cut;
    }

    private Map<String, String> parameters(@Nullable String query) {
      Map<String, String> parameters = new LinkedHashMap<>();
      for (String pair : query == null ? new String[0] : query.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        if (!PARAMETERS.contains(name) || equals < 0) {
          throw wrong(
              "'" + name + "' is not one of " + String.join(", ", sorted()) + " with a value");
        }
        if (parameters.put(name, decode(pair.substring(equals + 1))) != null) {
          throw wrong("'" + name + "' is given twice");
        }
      }
      return parameters;
    }

    private static List<String> sorted() {
      return PARAMETERS.stream().sorted().toList();
    }

    private String master(@Nullable String path) {
      String master = path == null ? "" : path.split("/", -1)[0];
      if (master.isEmpty()) {
        throw wrong("Sentinels are asked for a master: redis-sentinel://host1,host2/master");
      }
      return master;
    }

    private static @Nullable String after(@Nullable String path, char separator) {
      int index = path == null ? -1 : path.indexOf(separator);
      return path == null || index < 0 ? null : path.substring(index + 1);
    }

    private int database(@Nullable String path) {
      return path == null || path.isEmpty() ? 0 : number("database", path, 1_000_000);
    }

    private void check(Map<String, String> parameters, int database) {
      boolean sentinel = scheme.equals("redis-sentinel");
      boolean cluster = scheme.equals("redis-cluster");
      if (!sentinel
          && (parameters.containsKey("sentinelUser")
              || parameters.containsKey("sentinelPassword"))) {
        throw wrong("'sentinelUser' and 'sentinelPassword' go with redis-sentinel://");
      }
      if (cluster && database != 0) {
        throw wrong("a Cluster has no database " + database + ", only 0");
      }
      if ((cluster || scheme.equals("redlock")) && parameters.containsKey("waitForReplicas")) {
        throw wrong("'waitForReplicas' does not go with " + scheme + "://");
      }
      if (parameters.containsKey("cert") != parameters.containsKey("key")) {
        throw wrong("'cert' and 'key' go together");
      }
      String tls = parameters.get("tls");
      if (tls != null && !tls.equals("true") && !tls.equals("false")) {
        throw wrong("'tls' is true or false");
      }
    }

    private List<Node> nodes() {
      List<Node> nodes = new ArrayList<>();
      for (String node : rest.split(",", -1)) {
        nodes.add(node(node));
      }
      if (new HashSet<>(nodes).size() < nodes.size()) {
        throw wrong("a host is given twice");
      }
      if (scheme.equals("redlock") && (nodes.size() < 3 || nodes.size() % 2 == 0)) {
        throw wrong(
            "a quorum has an odd number of servers, at least 3, not "
                + nodes.size()
                + ": redlock://host1,host2,host3");
      }
      if (nodes.size() > 1 && (scheme.equals("redis") || scheme.equals("rediss"))) {
        throw wrong(
            "several hosts go with redis-sentinel:// (fail-over) or redis-cluster:// (shards)");
      }
      return nodes;
    }

    private Node node(String node) {
      int port = scheme.equals("redis-sentinel") ? SENTINEL_PORT : REDIS_PORT;
      int colon = node.endsWith("]") ? -1 : node.lastIndexOf(':');
      String host = colon < 0 ? node : node.substring(0, colon);
      if (colon >= 0) {
        port = number("port", node.substring(colon + 1), 65_535);
      }
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1); // an IPv6 address
      }
      if (host.isBlank() || port == 0) {
        throw wrong("a host or its port is missing");
      }
      return new Node(host, port);
    }

    private String decode(String part) {
      try {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        throw wrong("a % is not followed by two hexadecimal digits (write %25 for a plain one)");
      }
    }

    private IllegalArgumentException wrong(String why) {
      return new IllegalArgumentException(
          "malformed store URL '"
              + text
              + "': "
              + why
              + "; for example redis://user:password@host:6379/0");
    }
  }
}
