package dev.holdfast.servers;

import dev.holdfast.servers.client.Await;
import dev.holdfast.servers.process.Ports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** Three ZooKeeper servers, of which two must agree. */
public final class ZooKeeperEnsemble extends ServerGroup<ZooKeeperServer> {

  private static final int SIZE = 3;

  private ZooKeeperEnsemble(List<ZooKeeperServer> nodes) {
    super(nodes);
  }

  /** The configuration that all servers share: the members. */
  @FunctionalInterface
  public interface Layout {

    /**
     * The port on which one server reaches the other as its leader: the other's own, or that of a
     * proxy. Elections always go straight.
     */
    int road(int from, int to, int port);

    /** Settings of one server, from 1 to 3, as in {@code zoo.cfg}. */
    default List<String> settings(int number) {
      return List.of();
    }
  }

  /** Starts three servers and waits until they have a leader. */
  public static ZooKeeperEnsemble start(String... settings) {
    return start((from, to, port) -> port, settings);
  }

  /** The same, with servers that differ, or whose connections pass through a proxy. */
  public static ZooKeeperEnsemble start(Layout layout, String... settings) {
    int[] quorum = IntStream.range(0, SIZE).map(i -> Ports.free()).toArray();
    int[] election = IntStream.range(0, SIZE).map(i -> Ports.free()).toArray();
    List<Callable<ZooKeeperServer>> starts = new ArrayList<>();
    for (int number = 1; number <= SIZE; number++) {
      int id = number;
      List<String> lines = new ArrayList<>(List.of(settings));
      lines.addAll(layout.settings(id));
      for (int to = 1; to <= SIZE; to++) {
        int port = quorum[to - 1];
        int road = to == id ? port : layout.road(id, to, port);
        lines.add("server." + to + "=127.0.0.1:" + road + ":" + election[to - 1]);
      }
      starts.add(() -> ZooKeeperServer.member(id, Ports.free(), lines));
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
    Await.until(
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
