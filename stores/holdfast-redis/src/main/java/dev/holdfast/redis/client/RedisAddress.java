package dev.holdfast.redis.client;

import dev.holdfast.redis.script.Keys;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.StoreUrl.Host;
import dev.holdfast.spi.support.TlsFiles;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A store URL, taken apart: {@code
 * scheme://[user[:password]@]host[:port][,host…][/master][/database][?name=value…]}, with a master
 * only for Sentinel.
 *
 * @param scheme one of redis, rediss, redis-sentinel, redis-cluster, redlock
 * @param nodes in the order of the URL
 * @param login for the servers
 * @param sentinelLogin for the Sentinels
 * @param master its name at the Sentinels; empty without Sentinel
 * @param prefix of keys and channels
 * @param waitForReplicas how many replicas must have a grant
 * @param tls the files for TLS
 * @param text the URL without secrets, for messages
 */
public record RedisAddress(
    String scheme,
    List<Host> nodes,
    Credentials login,
    Credentials sentinelLogin,
    String master,
    int database,
    String prefix,
    int waitForReplicas,
    boolean isTls,
    TlsFiles tls,
    String text) {

  public static final Set<String> SCHEMES =
      Set.of("redis", "rediss", "redis-sentinel", "redis-cluster");

  public static final int MAX_REPLICAS = 100;

  // What Redis allows.
  private static final Pattern MASTER = Pattern.compile("[A-Za-z0-9._-]+");
  private static final int REDIS_PORT = 6379;
  private static final int SENTINEL_PORT = 26379;
  private static final int MAX_DATABASE = 1_000_000;
  private static final String SENTINEL = "redis-sentinel";

  public static RedisAddress parse(String text, Credentials given) {
    StoreUrl url =
        StoreUrl.parse(text)
            .knowing(
                "prefix",
                "wait-for-replicas",
                "sentinel-user",
                "sentinel-password",
                "tls",
                "ca",
                "cert",
                "key",
                "key-password");
    String scheme = url.scheme();
    boolean sentinel = scheme.equals(SENTINEL);
    List<Host> nodes = url.hosts(sentinel ? SENTINEL_PORT : REDIS_PORT);
    int database = database(url, sentinel ? 1 : 0);
    check(url, nodes, database);
    boolean tls = scheme.equals("rediss") || url.isSet("tls");
    return new RedisAddress(
        scheme,
        nodes,
        url.login(given),
        new Credentials(url.value("sentinel-user"), url.value("sentinel-password")),
        sentinel ? master(url) : "",
        database,
        url.options(() -> Keys.checkPrefix(url.value("prefix", Keys.DEFAULT_PREFIX))),
        url.number("wait-for-replicas", 0, 0, MAX_REPLICAS),
        tls,
        url.tls(tls, scheme.equals("redis") ? "write rediss://" : "add tls=true"),
        url.toString());
  }

  /** {@return an address for each node alone} */
  public List<RedisAddress> each() {
    String plain = isTls ? "rediss" : "redis";
    return nodes.stream()
        .map(
            node ->
                new RedisAddress(
                    plain,
                    List.of(node),
                    login,
                    sentinelLogin,
                    "",
                    database,
                    prefix,
                    waitForReplicas,
                    isTls,
                    tls,
                    plain + "://" + node))
        .toList();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return text;
  }

  private static String master(StoreUrl url) {
    if (url.path().isEmpty()) {
      throw url.malformed("the name of the master is missing: redis-sentinel://host1,host2/master");
    }
    String master = url.path().get(0);
    if (!MASTER.matcher(master).matches()) {
      throw url.malformed("the name of a master may have only letters, digits, . - and _");
    }
    return master;
  }

  private static int database(StoreUrl url, int index) {
    List<String> path = url.path();
    if (path.size() > index + 1) {
      throw url.malformed("only parameters may follow the database");
    }
    return path.size() <= index ? 0 : url.number("the database", path.get(index), 0, MAX_DATABASE);
  }

  private static void check(StoreUrl url, List<Host> nodes, int database) {
    String scheme = url.scheme();
    boolean cluster = scheme.equals("redis-cluster");
    boolean redlock = scheme.equals("redlock");
    if (!scheme.equals(SENTINEL) && (url.has("sentinel-user") || url.has("sentinel-password"))) {
      throw url.malformed("'sentinel-user' and 'sentinel-password' need redis-sentinel://");
    }
    if (url.has("sentinel-user") && !url.has("sentinel-password")) {
      throw url.malformed("'sentinel-user' needs 'sentinel-password'");
    }
    if (cluster && database != 0) {
      throw url.malformed("a Cluster has only database 0, not " + database);
    }
    if ((cluster || redlock) && url.has("wait-for-replicas")) {
      throw url.malformed("'wait-for-replicas' is not supported by " + scheme + "://");
    }
    if (redlock && (nodes.size() < 3 || nodes.size() % 2 == 0)) {
      throw url.malformed(
          "a quorum needs an odd number of servers, at least 3, not "
              + nodes.size()
              + ": redlock://host1,host2,host3");
    }
    if (nodes.size() > 1 && (scheme.equals("redis") || scheme.equals("rediss"))) {
      throw url.malformed(
          "several hosts need redis-sentinel:// (fail-over) or redis-cluster:// (shards)");
    }
  }
}
