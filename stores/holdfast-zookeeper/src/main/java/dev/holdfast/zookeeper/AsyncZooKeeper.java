package dev.holdfast.zookeeper;

import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
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
 * ZooKeeper's client with futures for answers. Requests reach the server in the order of the calls.
 * Answers come in that order, each after all watch events of earlier changes: the protocols here
 * depend on it.
 *
 * <p>Failures are {@link KeeperException}s without the path, which contains a claim's id.
 *
 * <p>Thread-safe; futures complete on ZooKeeper's event thread.
 */
final class AsyncZooKeeper {

  private static final byte[] NOTHING = new byte[0];
  private static final int ANY_VERSION = -1;

  private final ZooKeeper client;
  private final List<ACL> acl;

  AsyncZooKeeper(ZooKeeper client, List<ACL> acl) {
    this.client = client;
    this.acl = new ArrayList<>(acl); // ZooKeeper's client calls methods that immutable lists refuse
  }

  ZooKeeper client() {
    return client;
  }

  /**
   * A sequential node that was created.
   *
   * @param zxid the transaction that created it
   * @param millis when that was, by the server's clock
   * @param siblings the number of other claims' nodes in its folder at that time
   */
  record Entered(String path, long zxid, long millis, int siblings) {}

  /** A node that was read. */
  record Content(byte[] data, Stat stat) {}

  /** Creates a node without data. */
  CompletableFuture<Stat> create(String path, CreateMode mode) {
    CompletableFuture<Stat> created = new CompletableFuture<>();
    client.create(
        path, NOTHING, acl, mode, (code, p, context, n, stat) -> end(created, code, stat), null);
    return created;
  }

  /**
   * Creates an ephemeral sequential node. The same transaction writes to the folder, because the
   * answer to that write contains the number of nodes in it.
   *
   * @param further the name of a second ephemeral node, if there is to be one
   */
  CompletableFuture<Entered> enter(
      String folder, String prefix, byte[] data, @Nullable String further) {
    CompletableFuture<Entered> entered = new CompletableFuture<>();
    Op claim = Op.create(folder + "/" + prefix, data, acl, CreateMode.EPHEMERAL_SEQUENTIAL);
    Op count = Op.setData(folder, NOTHING, ANY_VERSION);
    client.multi(
        further == null
            ? List.of(claim, count)
            : List.of(
                claim,
                Op.create(folder + "/" + further, NOTHING, acl, CreateMode.EPHEMERAL),
                count),
        (code, p, context, results) -> {
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
    String path = ((OpResult.CreateResult) results.get(0)).getPath(); // with the chroot or without
    int made = results.size() - 1;
    Stat stat = ((OpResult.SetDataResult) results.get(made)).getStat();
    return new Entered(
        folder + path.substring(path.lastIndexOf('/')),
        stat.getMzxid(),
        stat.getMtime(),
        stat.getNumChildren() - made);
  }

  /** Which of two nodes exist. */
  enum Existing {
    BOTH,
    FIRST_ONLY,
    NOT_FIRST
  }

  /** Checks two nodes in one committed transaction, so by the word of the quorum. */
  CompletableFuture<Existing> check(String first, String second) {
    CompletableFuture<Existing> existing = new CompletableFuture<>();
    MultiCallback callback =
        (code, p, context, results) -> {
          if (code == Code.OK.intValue()) {
            existing.complete(Existing.BOTH);
          } else if (code == Code.NONODE.intValue() && results != null) {
            existing.complete(isMissing(results.get(0)) ? Existing.NOT_FIRST : Existing.FIRST_ONLY);
          } else {
            existing.completeExceptionally(failure(code));
          }
        };
    client.multi(
        List.of(Op.check(first, ANY_VERSION), Op.check(second, ANY_VERSION)), callback, null);
    return existing;
  }

  private static boolean isMissing(OpResult result) {
    return result instanceof OpResult.ErrorResult error && error.getErr() == Code.NONODE.intValue();
  }

  CompletableFuture<Stat> setData(String path, byte[] data) {
    CompletableFuture<Stat> set = new CompletableFuture<>();
    client.setData(path, data, ANY_VERSION, (code, p, context, stat) -> end(set, code, stat), null);
    return set;
  }

  /**
   * Writes to the client's own node, which is created if it is missing. The write is a transaction
   * that a quorum commits: it renews the session, and a read that is sent after it is never stale.
   *
   * <p>Neither pings nor ZooKeeper's {@code sync} would do: a server that is cut off answers the
   * first for a while, and a leader that was deposed without noticing answers the second.
   */
  CompletableFuture<Stat> commit() {
    String path = NodePaths.client(client.getSessionId());
    CompletableFuture<Stat> written =
        or(setData(path, NOTHING), Code.NONODE, () -> create(path, CreateMode.EPHEMERAL));
    // Another write may have created it meanwhile.
    return or(written, Code.NODEEXISTS, () -> setData(path, NOTHING));
  }

  CompletableFuture<Content> read(String path, @Nullable Watcher watcher) {
    return watch(path, watcher, () -> {});
  }

  /**
   * Reads and watches a node.
   *
   * @param onSet runs if the node exists, in order with the events of the watch; the future's
   *     dependents may run later
   */
  CompletableFuture<Content> watch(String path, @Nullable Watcher watcher, Runnable onSet) {
    CompletableFuture<Content> read = new CompletableFuture<>();
    client.getData(
        path,
        watcher,
        (int code, String p, Object context, byte[] data, Stat stat) -> {
          if (code == Code.OK.intValue()) {
            onSet.run();
          }
          end(read, code, new Content(data == null ? NOTHING : data, stat));
        },
        null);
    return read;
  }

  CompletableFuture<Stat> stat(String path) {
    CompletableFuture<Stat> read = new CompletableFuture<>();
    client.exists(path, false, (code, p, context, stat) -> end(read, code, stat), null);
    return read;
  }

  private CompletableFuture<List<String>> children(String path, @Nullable Watcher watcher) {
    CompletableFuture<List<String>> read = new CompletableFuture<>();
    client.getChildren(
        path,
        watcher,
        (int code, String p, Object context, List<String> names) -> end(read, code, names),
        null);
    return read;
  }

  /** {@return the children, none if the node is missing} */
  CompletableFuture<List<String>> childrenIfAny(String path) {
    return unless(children(path, null), Code.NONODE, List.of());
  }

  /** {@return the queue in a lock's folder, empty if the folder is missing} */
  CompletableFuture<NodeQueue> queue(String container) {
    return childrenIfAny(container).thenApply(names -> NodeQueue.of(container, names));
  }

  /** Reads and watches a queue; fails if its folder is missing. */
  CompletableFuture<NodeQueue> watchQueue(String container, Watcher watcher) {
    return children(container, watcher).thenApply(names -> NodeQueue.of(container, names));
  }

  /** Commits, and reads a queue with the next request, without waiting in between. */
  CompletableFuture<NodeQueue> committedQueue(String container) {
    return commit().thenCombine(queue(container), (stat, queue) -> queue);
  }

  /** {@return true if the node existed} */
  CompletableFuture<Boolean> delete(String path) {
    return delete(path, ANY_VERSION);
  }

  /** {@return true if the node existed; fails if its data has another version} */
  CompletableFuture<Boolean> delete(String path, int version) {
    CompletableFuture<Boolean> deleted = new CompletableFuture<>();
    client.delete(path, version, (code, p, context) -> end(deleted, code, true), null);
    return unless(deleted, Code.NONODE, false);
  }

  /** {@return true if any of these nodes in a folder existed} */
  CompletableFuture<Boolean> deleteAll(String container, List<ClaimNode> nodes) {
    return AllAnswers.any(
        nodes.stream().map(node -> delete(container + "/" + node.name())).toList());
  }

  /** {@return the ephemeral nodes of this session whose paths start like this} */
  CompletableFuture<List<String>> ephemerals(String start) {
    CompletableFuture<List<String>> read = new CompletableFuture<>();
    client.getEphemerals(start, (code, context, paths) -> end(read, code, paths), null);
    return read;
  }

  /** {@return the answer, or the second one if the first fails with this code} */
  static <T> CompletableFuture<T> or(
      CompletableFuture<T> first, Code code, Supplier<CompletableFuture<T>> second) {
    return first.exceptionallyCompose(failure -> is(failure, code) ? second.get() : first);
  }

  /** {@return the answer, or this value if it fails with this code} */
  static <T> CompletableFuture<T> unless(CompletableFuture<T> answer, Code code, T value) {
    return or(answer, code, () -> CompletableFuture.completedFuture(value));
  }

  static boolean is(Throwable failure, Code code) {
    return Failures.unwrap(failure) instanceof KeeperException keeper && keeper.code() == code;
  }

  private static <T> void end(CompletableFuture<T> future, int code, T value) {
    if (code == Code.OK.intValue()) {
      future.complete(value);
    } else {
      future.completeExceptionally(failure(code));
    }
  }

  /**
   * @return the failure of this code; a code that this client does not know is a server's error
   */
  static KeeperException failure(int code) {
    Code known = Code.get(code);
    return KeeperException.create(known == null ? Code.SYSTEMERROR : known);
  }
}
