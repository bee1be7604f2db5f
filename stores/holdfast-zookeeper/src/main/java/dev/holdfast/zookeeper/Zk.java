package dev.holdfast.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's client with futures for answers. Requests reach the server in the order of the calls,
 * and answers come in that order, each after all watch events of earlier changes: much here counts
 * on it.
 *
 * <p>Failures are {@link KeeperException}s without the path, which holds a claim's id.
 *
 * <p><b>Threads.</b> Any may call; futures complete on ZooKeeper's event thread.
 */
final class Zk {

  private static final byte[] NOTHING = new byte[0];

  private final ZooKeeper client;
  private final List<ACL> acl;

  Zk(ZooKeeper client, List<ACL> acl) {
    this.client = client;
    this.acl = new ArrayList<>(acl); // immutable lists refuse what the client asks of them
  }

  ZooKeeperFence fence() {
    return ZooKeeperFence.over(client, acl);
  }

  /** A node that was made. */
  record Made(String path, Stat stat) {}

  /**
   * A numbered node that was made.
   *
   * @param zxid the transaction that made it
   * @param millis when that was, by the server's clock
   * @param siblings how many others there were in its folder then
   */
  record Entered(String path, long zxid, long millis, int siblings) {}

  /** A node that was read. */
  record Content(byte[] data, Stat stat) {}

  CompletableFuture<Made> create(String path, byte[] data, CreateMode mode) {
    CompletableFuture<Made> made = new CompletableFuture<>();
    client.create(
        path,
        data,
        acl,
        mode,
        (code, asked, context, name, stat) -> {
          if (code == Code.OK.intValue()) {
            made.complete(new Made(name, stat));
          } else {
            made.completeExceptionally(failure(code));
          }
        },
        null);
    return made;
  }

  /**
   * Makes an ephemeral node with the next number of its folder. The same transaction writes to the
   * folder, only because the answer to that tells how many nodes are in it.
   */
  CompletableFuture<Entered> enter(String folder, String prefix, byte[] data) {
    CompletableFuture<Entered> entered = new CompletableFuture<>();
    client.multi(
        List.of(
            Op.create(folder + "/" + prefix, data, acl, CreateMode.EPHEMERAL_SEQUENTIAL),
            Op.setData(folder, NOTHING, -1)),
        (code, asked, context, results) -> {
          if (code == Code.OK.intValue()) {
            entered.complete(entered(folder, results));
          } else {
            entered.completeExceptionally(failure(code));
          }
        },
        null);
    return entered;
  }

  private static Entered entered(String folder, List<OpResult> results) {
    String made = ((OpResult.CreateResult) results.get(0)).getPath(); // with the chroot or without
    Stat stat = ((OpResult.SetDataResult) results.get(1)).getStat();
    return new Entered(
        folder + made.substring(made.lastIndexOf('/')),
        stat.getMzxid(),
        stat.getMtime(),
        stat.getNumChildren() - 1);
  }

  /** Which of two nodes are there: as the quorum has it, in one committed transaction. */
  enum There {
    BOTH,
    FIRST_ONLY,
    FIRST_MISSING
  }

  CompletableFuture<There> check(String first, String second) {
    CompletableFuture<There> there = new CompletableFuture<>();
    client.multi(
        List.of(Op.check(first, -1), Op.check(second, -1)),
        (code, asked, context, results) -> {
          if (code == Code.OK.intValue()) {
            there.complete(There.BOTH);
          } else if (code == Code.NONODE.intValue() && results != null) {
            there.complete(isMissing(results.get(0)) ? There.FIRST_MISSING : There.FIRST_ONLY);
          } else {
            there.completeExceptionally(failure(code));
          }
        },
        null);
    return there;
  }

  private static boolean isMissing(OpResult result) {
    return result instanceof OpResult.ErrorResult error && error.getErr() == Code.NONODE.intValue();
  }

  CompletableFuture<Stat> setData(String path, byte[] data) {
    CompletableFuture<Stat> set = new CompletableFuture<>();
    client.setData(path, data, -1, (code, p, context, stat) -> answer(set, code, stat), null);
    return set;
  }

  CompletableFuture<Content> read(String path, @Nullable Watcher watcher) {
    return watch(path, watcher, () -> {});
  }

  /**
   * Reads and watches a node.
   *
   * @param there run if it is, after the events that came before the answer and before those that
   *     come after it; what is attached to the future may be run later
   */
  CompletableFuture<Content> watch(String path, @Nullable Watcher watcher, Runnable there) {
    CompletableFuture<Content> read = new CompletableFuture<>();
    client.getData(
        path,
        watcher,
        (int code, String p, Object context, byte[] data, Stat stat) -> {
          if (code == Code.OK.intValue()) {
            there.run();
            read.complete(new Content(data == null ? new byte[0] : data, stat));
          } else {
            read.completeExceptionally(failure(code));
          }
        },
        null);
    return read;
  }

  CompletableFuture<Stat> existing(String path) {
    CompletableFuture<Stat> read = new CompletableFuture<>();
    client.exists(path, false, (code, p, context, stat) -> answer(read, code, stat), null);
    return read;
  }

  CompletableFuture<List<String>> children(String path, @Nullable Watcher watcher) {
    CompletableFuture<List<String>> read = new CompletableFuture<>();
    client.getChildren(
        path,
        watcher,
        (int code, String p, Object context, List<String> names) -> answer(read, code, names),
        null);
    return read;
  }

  /** The children, none if the node is not there. */
  CompletableFuture<List<String>> childrenIfAny(String path) {
    return or(
        children(path, null), Code.NONODE, () -> CompletableFuture.completedFuture(List.of()));
  }

  /** Returns whether the node was there. */
  CompletableFuture<Boolean> delete(String path) {
    return delete(path, -1);
  }

  /** The same, but fails if the node's data has another version than this. */
  CompletableFuture<Boolean> delete(String path, int version) {
    CompletableFuture<Boolean> deleted = new CompletableFuture<>();
    client.delete(path, version, (code, p, context) -> answer(deleted, code, true), null);
    return or(deleted, Code.NONODE, () -> CompletableFuture.completedFuture(false));
  }

  /** The ephemeral nodes of this session below a path. */
  CompletableFuture<List<String>> ephemerals(String below) {
    CompletableFuture<List<String>> read = new CompletableFuture<>();
    client.getEphemerals(below, (code, context, paths) -> answer(read, code, paths), null);
    return read;
  }

  /** The first, or the second if the first fails with this code. */
  static <T> CompletableFuture<T> or(
      CompletableFuture<T> first, Code code, Supplier<CompletableFuture<T>> second) {
    return first
        .handle(
            (value, failure) -> failure == null ? first : is(failure, code) ? second.get() : first)
        .thenCompose(chosen -> chosen);
  }

  static boolean is(Throwable failure, Code code) {
    return cause(failure) instanceof KeeperException keeper && keeper.code() == code;
  }

  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static <T> void answer(CompletableFuture<T> future, int code, T value) {
    if (code == Code.OK.intValue()) {
      future.complete(value);
    } else {
      future.completeExceptionally(failure(code));
    }
  }

  /** What a code means; one that this client does not know is some error of the server. */
  static KeeperException failure(int code) {
    Code known = Code.get(code);
    return KeeperException.create(known == null ? Code.SYSTEMERROR : known);
  }
}
