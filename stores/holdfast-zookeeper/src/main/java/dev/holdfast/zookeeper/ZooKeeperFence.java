package dev.holdfast.zookeeper;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.FenceToken;
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
 * A fence for data that live in ZooKeeper: the check of the token and the writes are one {@code
 * multi}, so nobody comes in between.
 *
 * <p>The fence of a lock is the node {@code /holdfast/fences/<lock>} with the highest exclusive
 * token; it stays. Give every exclusive write through a fence: it refuses nothing that goes around
 * it. The lock may live elsewhere: the fence takes the tokens of any store.
 *
 * <p><b>Threads.</b> Any; each call waits for ZooKeeper's answer. A call that ends in {@link
 * StoreException} may or may not have taken effect.
 */
public final class ZooKeeperFence implements Fence {

  private static final String FENCES = Names.ROOT + "/fences";
  private static final int ANY_VERSION = -1;

  private final ZooKeeper client;
  private final List<ACL> acl;

  private ZooKeeperFence(ZooKeeper client, List<ACL> acl) {
    this.client = client;
    this.acl = new ArrayList<>(acl); // immutable lists refuse what the client asks of them
  }

  /**
   * On the caller's client, which stays the caller's to close.
   *
   * @param acl of the nodes that the fence makes, for example {@code ZooDefs.Ids.CREATOR_ALL_ACL}
   */
  public static ZooKeeperFence over(ZooKeeper client, List<ACL> acl) {
    return new ZooKeeperFence(client, acl);
  }

  @Override
  public void enter(Proof proof) {
    FenceToken.of(proof);
    ask(
        proof.lock(),
        () -> {
          Stand stand;
          do {
            stand = pass(proof);
          } while (!stand.written && !isUpToDate(proof, stand));
          return stand;
        });
  }

  @Override
  public void check(Proof proof) {
    FenceToken.of(proof);
    ask(
        proof.lock(),
        () -> {
          Stand stand;
          do {
            stand = readFor(proof);
          } while (!isUpToDate(proof, stand));
          return stand;
        });
  }

  @Override
  public long current(String lock) {
    return ask(lock, () -> read(lock)).token;
  }

  @Override
  public void reset(String lock, long token) {
    byte[] data = bytes(FenceToken.forReset(lock, token));
    ask(
        lock,
        () -> {
          try {
            return client.setData(path(lock), data, ANY_VERSION);
          } catch (KeeperException.NoNodeException e) {
            make(path(lock), data);
            return new Stat();
          }
        });
  }

  /**
   * Writes, if the token is not stale, in one step.
   *
   * @return what ZooKeeper answers to each of the operations
   * @throws StaleTokenException if a later holder has entered; nothing was written
   * @throws KeeperException if one of the operations is refused; nothing was written
   */
  public List<OpResult> write(Proof proof, Op... operations)
      throws KeeperException, InterruptedException {
    FenceToken.of(proof);
    while (true) {
      Stand stand = ask(proof.lock(), () -> pass(proof));
      List<Op> all = new ArrayList<>(List.of(Op.check(path(proof.lock()), stand.version)));
      all.addAll(List.of(operations));
      try {
        List<OpResult> results = client.multi(all);
        return results.subList(1, results.size());
      } catch (KeeperException.BadVersionException e) {
        if (!isOurs(e)) {
          throw e;
        }
        // The fence was raised in between: by a later holder, as the next look will tell.
      }
    }
  }

  /** Where a fence stands, as was read or, if we raised it, written. */
  private record Stand(long token, int version, boolean written) {}

  /**
   * Whether what was read is what the quorum knows: a server that is cut off from it would let an
   * old token pass, even after a {@code sync}.
   */
  private boolean isUpToDate(Proof proof, Stand stand)
      throws KeeperException, InterruptedException {
    try {
      client.multi(List.of(Op.check(path(proof.lock()), stand.version)));
      return stand.version >= 0;
    } catch (KeeperException.BadVersionException e) {
      return false;
    } catch (KeeperException.NoNodeException e) {
      return stand.version < 0;
    }
  }

  /** Raises the fence to an exclusive token; refuses an old one. */
  private Stand pass(Proof proof) throws KeeperException, InterruptedException {
    long raised = FenceToken.raising(proof);
    while (true) {
      Stand stand = readFor(proof);
      if (stand.version >= 0 && stand.token >= raised) {
        return stand;
      }
      try {
        if (stand.version < 0) {
          make(path(proof.lock()), bytes(raised));
          return new Stand(raised, 0, true);
        }
        Stat stat = client.setData(path(proof.lock()), bytes(raised), stand.version);
        return new Stand(raised, stat.getVersion(), true);
      } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
        // Somebody was faster: look again.
      }
    }
  }

  private Stand readFor(Proof proof) throws KeeperException, InterruptedException {
    Stand stand = read(proof.lock());
    FenceToken.refuseOlder(proof, stand.token);
    return stand;
  }

  private Stand read(String lock) throws KeeperException, InterruptedException {
    Stat stat = new Stat();
    byte[] data;
    try {
      data = client.getData(path(lock), false, stat);
    } catch (KeeperException.NoNodeException e) {
      return new Stand(FenceToken.NONE, ANY_VERSION, false);
    }
    String text = data == null ? null : new String(data, StandardCharsets.UTF_8);
    return new Stand(FenceToken.read(lock, "node " + path(lock), text), stat.getVersion(), false);
  }

  private void make(String path, byte[] data) throws KeeperException, InterruptedException {
    try {
      client.create(path, data, acl, CreateMode.PERSISTENT);
    } catch (KeeperException.NoNodeException e) {
      for (String folder : List.of(Names.ROOT, FENCES)) {
        try {
          client.create(folder, new byte[0], acl, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException there) {
          // That is all we want.
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
    return FENCES + "/" + Names.encode(lock);
  }

  private static byte[] bytes(long token) {
    return Long.toString(token).getBytes(StandardCharsets.UTF_8);
  }

  @FunctionalInterface
  private interface Question<T> {
    T ask() throws KeeperException, InterruptedException;
  }

  private static <T> T ask(String lock, Question<T> question) {
    try {
      return question.ask();
    } catch (KeeperException e) {
      throw new StoreException(lock, "No answer from the fence of '" + lock + "'", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(lock, "Interrupted at the fence of '" + lock + "'", e);
    }
  }
}
