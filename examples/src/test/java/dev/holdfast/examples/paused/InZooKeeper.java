package dev.holdfast.examples.paused;

import dev.holdfast.Proof;
import dev.holdfast.zookeeper.ZooKeeperFence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Nodes in ZooKeeper; one {@code multi} checks the fence and writes. */
final class InZooKeeper implements Guarded {

  /** Longer than any pause. */
  static final int SESSION_MILLIS = 240_000;

  private final ZooKeeper client;
  private final ZooKeeperFence fence;

  InZooKeeper(String hosts) throws IOException {
    client = new ZooKeeper(hosts, SESSION_MILLIS, event -> {}); // requests wait until it is there
    fence = ZooKeeperFence.over(client, Ids.OPEN_ACL_UNSAFE);
  }

  @Override
  public void enter(Proof proof) {
    fence.enter(proof);
  }

  @Override
  public String read(String lock) throws KeeperException, InterruptedException {
    return new String(client.getData(node(lock), false, null), StandardCharsets.UTF_8);
  }

  @Override
  public void write(Proof proof, String text) throws KeeperException, InterruptedException {
    byte[] data = text.getBytes(StandardCharsets.UTF_8);
    try {
      fence.write(proof, Op.setData(node(proof.lock()), data, -1));
    } catch (KeeperException.NoNodeException first) {
      fence.write(
          proof, Op.create(node(proof.lock()), data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    }
  }

  private static String node(String lock) {
    return "/" + lock;
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
  }
}
