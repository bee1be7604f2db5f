package dev.holdfast.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Three ZooKeeper servers, of which two must agree. */
public final class ZooKeeperEnsemble extends ServerGroup<ZooKeeperServer> {

  private static final int SIZE = 3;

  private ZooKeeperEnsemble(List<ZooKeeperServer> nodes) {
    super(nodes);
  }

  /** Starts three servers and waits until they have a leader. */
  public static ZooKeeperEnsemble start(String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    for (int number = 1; number <= SIZE; number++) {
      all.add("server." + number + "=127.0.0.1:" + Ports.free() + ":" + Ports.free());
    }
    List<Callable<ZooKeeperServer>> starts = new ArrayList<>();
    for (int number = 1; number <= SIZE; number++) {
      int id = number;
      starts.add(() -> ZooKeeperServer.member(id, Ports.free(), all));
    }
    return new ZooKeeperEnsemble(together(starts));
  }

  /** {@code zookeeper://host:port,…}. */
  public String url() {
    return "zookeeper://" + addresses(nodes());
  }

  /** {@code host:port,…}, as ZooKeeper's own client wants it. */
  public String connectString() {
    return addresses(nodes());
  }

  /** Waits until one of those that run is the leader, and returns it. */
  public ZooKeeperServer leader() {
    List<ZooKeeperServer> found = new ArrayList<>();
    Patience.until(
        "there is a leader",
        () -> {
          found.clear();
          nodes().stream().filter(ZooKeeperEnsemble::leads).forEach(found::add);
          return !found.isEmpty();
        });
    return found.get(0);
  }

  private static boolean leads(ZooKeeperServer node) {
    try {
      return node.mode().equals("leader");
    } catch (java.io.UncheckedIOException noAnswer) {
      return false;
    }
  }
}
