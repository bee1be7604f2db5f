package dev.holdfast.bench.zookeeper;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.store.Store;
import dev.holdfast.servers.ZooKeeperServer;
import java.util.List;
import org.apache.zookeeper.Version;

/** ZooKeeper. */
public final class ZooKeeperStore implements Store {

  private static final int HEAP_MEGABYTES = 2048; // for a million locks

  @Override
  public String name() {
    return "zookeeper";
  }

  @Override
  public String title() {
    return "ZooKeeper";
  }

  @Override
  public boolean pushes() {
    return true;
  }

  @Override
  public Framing framing() {
    return ZooKeeperCounter::new;
  }

  @Override
  public List<Contender> contenders() {
    return List.of(
        HoldfastClient.BY_DEFAULT,
        HoldfastClient.WITHOUT_HAND_OFF,
        HoldfastClient.WITH_SLICE,
        ZooKeeperFloor.CONTENDER,
        ZooKeeperFloor.LIMIT,
        Curator.CONTENDER);
  }

  @Override
  public RunningServer start() {
    // Ticks as in ZooKeeper's own example, so that a session can last as long as a lease by
    // default.
    ZooKeeperServer server = ZooKeeperServer.startWithHeap(HEAP_MEGABYTES, "tickTime=2000");
    return new RunningServer(
        server.url(),
        server.port(),
        "ZooKeeper " + Version.getVersion() + ", one server, without waiting for the disk",
        server);
  }

  /** Without the scheme, as ZooKeeper's own clients want it. */
  static String connectString(String url) {
    return url.replaceFirst("^zookeeper://", "");
  }

  /** The name of a node for a lock. */
  static String path(String folder, String name) {
    return "/" + folder + "/" + name.replace('/', '_');
  }
}
