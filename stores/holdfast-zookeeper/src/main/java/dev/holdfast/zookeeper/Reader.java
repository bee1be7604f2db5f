package dev.holdfast.zookeeper;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Reads holders and waiters after a committed write, so the result is never stale.
 *
 * <p>Thread-safe.
 */
final class Reader {

  /** The number of locks that are read at the same time. */
  private static final int AT_ONCE = 32;

  private final StoreConnection connection;

  Reader(StoreConnection connection) {
    this.connection = connection;
  }

  CompletableFuture<LockInfo> inspect(String lock) {
    AsyncZooKeeper zk = connection.session(lock).zk;
    return zk.commit()
        .thenCombine(
            zk.queue(NodePaths.container(lock)),
            (now, queue) -> info(zk, lock, queue, now.getMtime()))
        .thenCompose(info -> info);
  }

  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    AsyncZooKeeper zk = connection.session("").zk;
    return zk.commit()
        .thenCombine(
            AllAnswers.of(NodePaths.buckets().stream().map(zk::childrenIfAny).toList()),
            (now, folders) -> {
              List<String> names =
                  folders.stream()
                      .flatMap(List::stream)
                      .filter(Reader::isLock)
                      .map(NodePaths::decode)
                      .filter(name -> name.startsWith(prefix))
                      .sorted()
                      .toList();
              return inUse(zk, names, new ArrayList<>(), limit, now.getMtime());
            })
        .thenCompose(infos -> infos);
  }

  /** Reads until enough locks in use are found: folders briefly outlive their claims. */
  private CompletableFuture<List<LockInfo>> inUse(
      AsyncZooKeeper zk, List<String> names, List<LockInfo> found, int limit, long now) {
    if (names.isEmpty() || found.size() >= limit) {
      return CompletableFuture.completedFuture(
          List.copyOf(found.subList(0, Math.min(limit, found.size()))));
    }
    int size = Math.min(names.size(), AT_ONCE);
    return AllAnswers.of(
            names.subList(0, size).stream().map(name -> infoOrSkipped(zk, name, now)).toList())
        .thenCompose(
            infos -> {
              infos.stream()
                  .filter(info -> info.isHeld() || !info.waiters().isEmpty())
                  .forEach(found::add);
              return inUse(zk, names.subList(size, names.size()), found, limit, now);
            });
  }

  /** {@return true if the folder's name is that of a lock; other programs may create folders} */
  private static boolean isLock(String folder) {
    try {
      return NodePaths.encode(NodePaths.decode(folder)).equals(folder);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static CompletableFuture<LockInfo> infoOrSkipped(
      AsyncZooKeeper zk, String lock, long now) {
    return zk.queue(NodePaths.container(lock))
        .thenCompose(queue -> info(zk, lock, queue, now))
        .exceptionallyCompose(
            failure -> {
              if (Failures.unwrap(failure) instanceof UnreadableRecordException unreadable) {
                Failures.skipped(unreadable);
                return CompletableFuture.completedFuture(LockInfo.free(lock));
              }
              return CompletableFuture.failedFuture(failure);
            });
  }

  private static CompletableFuture<LockInfo> info(
      AsyncZooKeeper zk, String lock, NodeQueue queue, long now) {
    List<ClaimNode> waiting = queue.nodes().subList(queue.granted(), queue.nodes().size());
    return claims(zk, lock, queue.holders(), true, now)
        .thenCombine(
            claims(zk, lock, waiting, false, now),
            (holders, waiters) -> {
              if (holders.isEmpty() && waiters.isEmpty()) {
                return LockInfo.free(lock);
              }
              ClaimNode first = queue.nodes().get(0);
              return new LockInfo(lock, first.kind(), first.capacity(), holders, waiters);
            });
  }

  private static CompletableFuture<List<ClaimInfo>> claims(
      AsyncZooKeeper zk, String lock, List<ClaimNode> nodes, boolean holds, long now) {
    String container = NodePaths.container(lock);
    return AllAnswers.of(
            nodes.stream()
                .map(
                    node ->
                        AsyncZooKeeper.unless(
                            zk.read(container + "/" + node.name(), null)
                                .thenApply(
                                    read -> Optional.of(info(node, container, read, holds, now))),
                            Code.NONODE, // it has left meanwhile
                            Optional.<ClaimInfo>empty()))
                .toList())
        .thenApply(infos -> infos.stream().flatMap(Optional::stream).toList());
  }

  /**
   * A claim lives on with its session, so all of its ttl always remains.
   *
   * @param now by the server's clock, in milliseconds
   */
  private static ClaimInfo info(
      ClaimNode node, String container, AsyncZooKeeper.Content read, boolean holds, long now) {
    ClaimRecord record = ClaimRecord.parse(container, node.name(), read.data());
    Duration ttl = record.ttl();
    Duration waiting = ttl.compareTo(Claim.MAX_WAITING_TTL) < 0 ? ttl : Claim.MAX_WAITING_TTL;
    long token = holds ? Tokens.ofRevision(read.stat().getCzxid()) : 0;
    return new ClaimInfo(
        record.owner(),
        node.kind().mode(node.weight()),
        node.weight(),
        token,
        holds ? Tokens.lastOfRevision(token) : 0,
        Duration.ofMillis(Math.max(0, now - read.stat().getCtime())),
        holds ? ttl : waiting,
        holds && node.keepable(),
        record.value());
  }
}
