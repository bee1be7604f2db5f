package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import dev.holdfast.servers.process.Ports;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis Cluster of three masters with a replica each. A replica takes over about two seconds
 * after its master is gone.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class RedisCluster extends ServerGroup<RedisServer> {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  private RedisCluster(List<RedisServer> nodes) {
    super(nodes);
  }

  /** Starts six nodes and waits until all slots are served and all replicas follow. */
  public static RedisCluster start(String... settings) {
    List<RedisServer> nodes = new ArrayList<>();
    List<Integer> busPorts = new ArrayList<>();
    for (int i = 0; i < 2 * MASTERS; i++) {
      // Its own, because by default it is 10,000 higher: where outgoing connections may sit.
      int bus = Ports.free();
      busPorts.add(bus);
      List<String> all = new ArrayList<>(List.of(settings));
      all.add("cluster-enabled yes");
      all.add("cluster-port " + bus);
      all.add("cluster-node-timeout 1500");
      all.add("cluster-config-file nodes.conf");
      nodes.add(RedisServer.start(all.toArray(String[]::new)));
    }
    RedisCluster cluster = new RedisCluster(nodes);
    cluster.meet(busPorts);
    cluster.assignSlots();
    cluster.awaitHealthy();
    return cluster;
  }

  /** {@code redis-cluster://host:port,…}. */
  public String url() {
    return "redis-cluster://" + addresses(nodes());
  }

  /** The master that serves this key now. */
  public RedisServer masterOf(String key) {
    long slot = (Long) answer(anyone(), "KEYSLOT", key);
    for (Object range : (List<?>) answer(anyone(), "SLOTS")) {
      List<?> fields = (List<?>) range;
      if ((Long) fields.get(0) <= slot && slot <= (Long) fields.get(1)) {
        long port = (Long) ((List<?>) fields.get(2)).get(1);
        return nodes().stream().filter(node -> node.port() == port).findFirst().orElseThrow();
      }
    }
    throw new IllegalStateException("no node serves slot " + slot);
  }

  /** Waits until another master than this one serves the key. */
  public RedisServer awaitAnother(String key, RedisServer than) {
    Await.until(
        "another master than " + than, () -> masterOf(key) != than && isHealthy(masterOf(key)));
    return masterOf(key);
  }

  /** Waits until all nodes that run see all slots served, and replicas have caught up. */
  public void awaitHealthy() {
    Await.until(
        "the cluster serves all slots and its replicas follow",
        () ->
            nodes().stream()
                .allMatch(
                    node ->
                        isHealthy(node)
                            && (node.info("replication", "role").equals("master")
                                || node.info("replication", "master_link_status").equals("up"))));
  }

  private void meet(List<Integer> busPorts) {
    RedisServer first = nodes().get(0);
    for (int i = 1; i < nodes().size(); i++) {
      String port = Integer.toString(nodes().get(i).port());
      answer(first, "MEET", "127.0.0.1", port, Integer.toString(busPorts.get(i)));
    }
    Await.until(
        "all nodes have met",
        () ->
            nodes().stream()
                .allMatch(
                    node ->
                        String.valueOf(answer(node, "INFO"))
                            .contains("cluster_known_nodes:" + nodes().size())));
  }

  private void assignSlots() {
    for (int i = 0; i < MASTERS; i++) {
      int from = SLOTS * i / MASTERS;
      int to = SLOTS * (i + 1) / MASTERS - 1;
      answer(nodes().get(i), "ADDSLOTSRANGE", Integer.toString(from), Integer.toString(to));
    }
    for (int i = 0; i < MASTERS; i++) {
      String master = String.valueOf(answer(nodes().get(i), "MYID"));
      RedisServer replica = nodes().get(MASTERS + i);
      // Refused as long as the replica has not heard that this is a master.
      Await.until(replica + " follows", () -> "OK".equals(answer(replica, "REPLICATE", master)));
    }
  }

  private RedisServer anyone() {
    return nodes().stream().filter(RedisCluster::isUp).findFirst().orElseThrow();
  }

  private static boolean isUp(RedisServer node) {
    try {
      return isHealthy(node);
    } catch (java.io.UncheckedIOException dead) {
      return false;
    }
  }

  private static boolean isHealthy(RedisServer node) {
    return String.valueOf(answer(node, "INFO")).contains("cluster_state:ok");
  }

  private static Object answer(RedisServer node, String... words) {
    List<String> command = new ArrayList<>(List.of("CLUSTER"));
    command.addAll(List.of(words));
    Object answer = node.command(command.toArray(String[]::new));
    if (answer == null) {
      throw new IllegalStateException(node + " has no answer to CLUSTER " + words[0]);
    }
    return answer;
  }
}
