package dev.holdfast.zookeeper;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.ZooKeeperServer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ForeignTextContract;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

@NeedsServer(Server.ZOOKEEPER)
class ZooKeeperForeignTextIT extends ForeignTextContract {

  private ZooKeeperFixture fixture;
  private ZooKeeper foreign;

  @BeforeEach
  void connect() throws Exception {
    fixture = new ZooKeeperFixture(ZooKeeperServer.shared().url());
    foreign = new ZooKeeper(ZooKeeperServer.shared().connectString(), 10_000, event -> {});
  }

  @AfterEach
  void close() throws Exception {
    foreign.close();
    fixture.close();
  }

  @Override
  protected LockStore open() {
    return fixture.open();
  }

  @Override
  protected void overwrite(String lock, String owner, String value) throws Exception {
    String folder = NodePaths.container(lock);
    String node = folder + "/" + foreign.getChildren(folder, false).get(0);
    String record = String.join("\n", "1", "16000", owner, value);
    foreign.setData(node, record.getBytes(StandardCharsets.UTF_8), -1);
  }
}
