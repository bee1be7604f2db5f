package dev.holdfast.zookeeper;

import dev.holdfast.FenceToken;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.VersionedFence;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * A fence for data in ZooKeeper: the check of the token and the writes are one {@code multi}, so no
 * other write comes between.
 *
 * <p>The fence of a lock is the node {@code /holdfast/fences/<lock>} with the highest exclusive
 * token; it stays. It protects only against writes that go through it. The lock may be in another
 * store: the fence accepts the tokens of any.
 *
 * <p>Thread-safe; each call waits for ZooKeeper's answer. A call that fails with {@link
 * StoreException} may or may not have taken effect.
 */
public final class ZooKeeperFence extends VersionedFence {

  private static final String FENCES = NodePaths.ROOT + "/fences";
  private static final int ANY_VERSION = -1; // also that of a fence that is not there
  private static final Failures FAILURES = new Failures("ZooKeeper");

  private final ZooKeeper client;
  private final List<ACL> acl;

  private ZooKeeperFence(ZooKeeper client, List<ACL> acl) {
    this.client = client;
    this.acl = new ArrayList<>(acl); // ZooKeeper's client calls methods that immutable lists refuse
  }

  /**
   * Makes a fence on the caller's client, which the caller closes.
   *
   * @param acl of the nodes that the fence creates, for example {@code ZooDefs.Ids.CREATOR_ALL_ACL}
   */
  public static ZooKeeperFence over(ZooKeeper client, List<ACL> acl) {
    return new ZooKeeperFence(client, acl);
  }

  /**
   * Checks the token and writes, in one step.
   *
   * @return ZooKeeper's result of each operation
   * @throws StaleTokenException if a later holder has entered; nothing was written
   * @throws KeeperException if one of the operations is refused; nothing was written
   */
  public List<OpResult> write(Proof proof, Op... operations)
      throws KeeperException, InterruptedException {
    String lock = proof.lock();
    long raised = FenceToken.raising(proof);
    while (true) {
      FenceState seen = read(lock);
      FenceToken.refuseOlder(proof, seen.token());
      int version = version(seen);
      if (version == ANY_VERSION || seen.token() < raised) {
        if (!replace(lock, seen, raised)) {
          continue;
        }
        version++;
      }
      List<Op> all = new ArrayList<>(List.of(Op.check(path(lock), version)));
      all.addAll(List.of(operations));
      try {
        List<OpResult> results = client.multi(all);
        return results.subList(1, results.size());
      } catch (KeeperException.BadVersionException e) {
        if (!isOurs(e)) {
          throw e;
        }
        // The fence was raised in between, by a later holder: the next read refuses this one.
      }
    }
  }

  @Override
  protected FenceState read(String lock) {
    Stat stat = new Stat();
    return ask(
        lock,
        () -> {
          byte[] data;
          try {
            data = client.getData(path(lock), false, stat);
          } catch (KeeperException.NoNodeException e) {
            return new FenceState(FenceToken.NONE, ANY_VERSION);
          }
          String text = data == null ? null : new String(data, StandardCharsets.UTF_8);
          return new FenceState(token(lock, text), stat.getVersion());
        });
  }

  /** By the quorum: a server that is cut off from it would accept an old token. */
  @Override
  protected boolean confirm(String lock, FenceState seen) {
    boolean missing = version(seen) == ANY_VERSION;
    return ask(
        lock,
        () -> {
          try {
            client.multi(List.of(Op.check(path(lock), version(seen))));
            return !missing;
          } catch (KeeperException.BadVersionException e) {
            return false;
          } catch (KeeperException.NoNodeException e) {
            return missing;
          }
        });
  }

  @Override
  protected boolean replace(String lock, FenceState seen, long token) {
    return ask(
        lock,
        () -> {
          try {
            if (version(seen) == ANY_VERSION) {
              create(path(lock), bytes(token));
            } else {
              client.setData(path(lock), bytes(token), version(seen));
            }
            return true;
          } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
            return false;
          }
        });
  }

  @Override
  protected void put(String lock, long token) {
    ask(
        lock,
        () -> {
          try {
            client.setData(path(lock), bytes(token), ANY_VERSION);
          } catch (KeeperException.NoNodeException e) {
            create(path(lock), bytes(token));
          }
          return token;
        });
  }

  @Override
  protected String place(String lock) {
    return "node " + path(lock);
  }

  private static int version(FenceState seen) {
    return (int) seen.version();
  }

  private void create(String path, byte[] data) throws KeeperException, InterruptedException {
    try {
      client.create(path, data, acl, CreateMode.PERSISTENT);
    } catch (KeeperException.NoNodeException e) {
      for (String folder : List.of(NodePaths.ROOT, FENCES)) {
        try {
          client.create(folder, new byte[0], acl, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException there) {
          // As needed.
        }
      }
      client.create(path, data, acl, CreateMode.PERSISTENT);
    }
  }

  private static boolean isOurs(KeeperException failure) {
    List<OpResult> results = failure.getResults();
    return results != null
        && results.get(0) instanceof OpResult.ErrorResult first
        && first.getErr() == Code.BADVERSION.intValue();
  }

  private static String path(String lock) {
    return FENCES + "/" + NodePaths.encode(lock);
  }

  private static byte[] bytes(long token) {
    return Long.toString(token).getBytes(StandardCharsets.UTF_8);
  }

  @FunctionalInterface
  private interface Request<T> {
    T send() throws KeeperException, InterruptedException;
  }

  private static <T> T ask(String lock, Request<T> request) {
    try {
      return request.send();
    } catch (KeeperException e) {
      throw FAILURES.noAnswer("fenced write", lock, Failures.reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FAILURES.noAnswer("fenced write", lock, "interrupted", e);
    }
  }
}
