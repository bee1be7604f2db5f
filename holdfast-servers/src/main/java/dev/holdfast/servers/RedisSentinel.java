package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis master with two replicas, watched by three Sentinels of which two must agree. They
 * promote a replica about a second after the master is gone.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class RedisSentinel extends ServerGroup<RedisServer> {

  /** What the Sentinels call the master. */
  public static final String MASTER = "holdfast";

  private static final int REPLICAS = 2;
  private static final int SENTINELS = 3;

  private final List<RedisServer> data;
  private final List<RedisServer> sentinels;

  private RedisSentinel(List<RedisServer> all) {
    super(all);
    data = all.subList(0, 1 + REPLICAS);
    sentinels = all.subList(1 + REPLICAS, all.size());
  }

  /** Starts all and waits until they know of each other. */
  public static RedisSentinel start(String... settings) {
    List<RedisServer> all = new ArrayList<>();
    RedisServer master = RedisServer.start(settings);
    all.add(master);
    List<String> following = new ArrayList<>(List.of(settings));
    following.add("replicaof 127.0.0.1 " + master.port());
    for (int i = 0; i < REPLICAS; i++) {
      all.add(RedisServer.start(following.toArray(String[]::new)));
    }
    // A Sentinel looks for replicas when it starts, and then only every ten seconds.
    Await.until(
        "replicas follow",
        () -> master.info("replication", "connected_slaves").equals(Integer.toString(REPLICAS)));
    for (int i = 0; i < SENTINELS; i++) {
      all.add(
          RedisServer.startSentinel(
              List.of(
                  "sentinel monitor " + MASTER + " 127.0.0.1 " + master.port() + " 2",
                  "sentinel down-after-milliseconds " + MASTER + " 1000",
                  "sentinel failover-timeout " + MASTER + " 5000")));
    }
    RedisSentinel group = new RedisSentinel(all);
    group.awaitHealthy();
    return group;
  }

  /** {@code redis-sentinel://host:port,…/master}. */
  public String url() {
    return "redis-sentinel://" + addresses(sentinels) + "/" + MASTER;
  }

  /** The master that the Sentinels agree on. */
  public RedisServer master() {
    int port = Integer.parseInt(String.valueOf(masterOf(sentinels.get(0)).get(1)));
    return data.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }

  /** The Sentinels. */
  public List<RedisServer> sentinels() {
    return sentinels;
  }

  /** Waits until the Sentinels agree on another master than this one and it takes writes. */
  public RedisServer awaitAnother(RedisServer than) {
    Await.until(
        "another master than " + than,
        () ->
            master() != than
                && sentinels.stream().map(RedisSentinel::masterOf).distinct().count() == 1
                && master().info("replication", "role").equals("master"));
    return master();
  }

  /** Waits until all replicas follow the master and all Sentinels know that. */
  public void awaitHealthy() {
    Await.until(
        "replicas and sentinels know each other",
        () ->
            data.stream()
                    .filter(node -> node != master())
                    .allMatch(node -> node.info("replication", "master_link_status").equals("up"))
                && sentinels.stream().allMatch(RedisSentinel::knowsAll));
  }

  private static List<?> masterOf(RedisServer sentinel) {
    return (List<?>) answer(sentinel, "get-master-addr-by-name");
  }

  private static boolean knowsAll(RedisServer sentinel) {
    // Names and values in turn.
    List<?> fields = (List<?>) answer(sentinel, "master");
    return Integer.toString(REPLICAS).equals(valueOf("num-slaves", fields))
        && Integer.toString(SENTINELS - 1).equals(valueOf("num-other-sentinels", fields));
  }

  private static Object valueOf(String name, List<?> fields) {
    return fields.get(fields.indexOf(name) + 1);
  }

  private static Object answer(RedisServer sentinel, String question) {
    Object answer = sentinel.command("SENTINEL", question, MASTER);
    if (answer == null) {
      throw new IllegalStateException(sentinel + " does not know " + MASTER);
    }
    return answer;
  }
}
