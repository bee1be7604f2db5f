package dev.holdfast.zookeeper;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Who holds and who waits, read behind a write of our own that the quorum has committed. */
final class Looking {

  /** So many locks are read at a time. */
  private static final int AT_ONCE = 32;

  private static final System.Logger LOG = System.getLogger(Looking.class.getName());

  private final Link link;

  Looking(Link link) {
    this.link = link;
  }

  CompletableFuture<LockInfo> inspect(String lock) {
    Session session = link.session(lock);
    return session.look(Names.container(lock)).thenCompose(queue -> info(session, lock, queue));
  }

  CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    Session session = link.session("");
    CompletableFuture<List<String>> names = session.renew().thenApply(stat -> new ArrayList<>());
    for (int i = 0; i < Names.BUCKETS; i++) {
      names =
          names.thenCombine(
              session.zk().childrenIfAny(Names.bucket(i)),
              (found, children) -> {
                children.stream()
                    .filter(Looking::isLock)
                    .map(Names::decode)
                    .filter(name -> name.startsWith(prefix))
                    .forEach(found::add);
                return found;
              });
    }
    return names.thenCompose(
        found -> {
          found.sort(null);
          return inUse(session, found, 0, new ArrayList<>(), limit);
        });
  }

  /** Reads on until enough are found that somebody uses: folders outlast their claims a little. */
  private CompletableFuture<List<LockInfo>> inUse(
      Session session, List<String> names, int from, List<LockInfo> found, int limit) {
    if (from >= names.size() || found.size() >= limit) {
      return CompletableFuture.completedFuture(
          List.copyOf(found.subList(0, Math.min(limit, found.size()))));
    }
    int to = Math.min(names.size(), from + AT_ONCE);
    CompletableFuture<List<LockInfo>> read = CompletableFuture.completedFuture(found);
    for (String name : names.subList(from, to)) {
      read =
          read.thenCombine(
              infoOrSkipped(session, name),
              (list, info) -> {
                if (info.isHeld() || !info.waiters().isEmpty()) {
                  list.add(info);
                }
                return list;
              });
    }
    return read.thenCompose(list -> inUse(session, names, to, list, limit));
  }

  /** Whether a folder has the name of a lock: anybody may make another. */
  private static boolean isLock(String folder) {
    try {
      return Names.encode(Names.decode(folder)).equals(folder);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** One lock that cannot be read must not hide all others. */
  private CompletableFuture<LockInfo> infoOrSkipped(Session session, String lock) {
    return info(session, lock)
        .exceptionally(
            failure -> {
              if (Zk.cause(failure) instanceof UnreadableRecordException unreadable) {
                LOG.log(
                    Level.WARNING, "Skipping a lock in the listing: " + unreadable.getMessage());
                return LockInfo.free(lock);
              }
              throw new CompletionException(Zk.cause(failure));
            });
  }

  private CompletableFuture<LockInfo> info(Session session, String lock) {
    return session
        .zk()
        .childrenIfAny(Names.container(lock))
        .thenCompose(names -> info(session, lock, Queue.of(Names.container(lock), names)));
  }

  private static CompletableFuture<LockInfo> info(Session session, String lock, Queue queue) {
    List<CompletableFuture<Zk.@Nullable Content>> contents = new ArrayList<>();
    for (Node node : queue.nodes()) {
      contents.add(readIfThere(session, Names.container(lock) + "/" + node.name()));
    }
    return CompletableFuture.allOf(contents.toArray(CompletableFuture[]::new))
        .thenApply(done -> info(session, lock, queue, contents));
  }

  private static CompletableFuture<Zk.@Nullable Content> readIfThere(Session session, String path) {
    CompletableFuture<Zk.@Nullable Content> content = new CompletableFuture<>();
    session
        .zk()
        .read(path, null)
        .whenComplete(
            (read, failure) -> {
              if (failure == null || Zk.is(failure, Code.NONODE)) {
                content.complete(read);
              } else {
                content.completeExceptionally(failure);
              }
            });
    return content;
  }

  private static LockInfo info(
      Session session,
      String lock,
      Queue queue,
      List<CompletableFuture<Zk.@Nullable Content>> contents) {
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    int admitted = queue.admitted();
    for (int i = 0; i < queue.nodes().size(); i++) {
      Zk.Content content = contents.get(i).join();
      if (content != null) {
        boolean holds = i < admitted;
        (holds ? holders : waiters).add(info(session, lock, queue.nodes().get(i), content, holds));
      }
    }
    if (holders.isEmpty() && waiters.isEmpty()) {
      return LockInfo.free(lock);
    }
    Node first = queue.nodes().get(0);
    return new LockInfo(lock, first.kind(), first.capacity(), holders, waiters);
  }

  /** A claim lives on with its session, so all of its ttl is always before it. */
  private static ClaimInfo info(
      Session session, String lock, Node node, Zk.Content content, boolean holds) {
    ClaimRecord record = ClaimRecord.parse(Names.container(lock), node.name(), content.data());
    Duration ttl = record.ttl();
    Duration waiting = ttl.compareTo(Claim.MAX_WAITING_TTL) < 0 ? ttl : Claim.MAX_WAITING_TTL;
    long token = holds ? Tokens.ofRevision(content.stat().getCzxid()) : 0;
    return new ClaimInfo(
        record.owner(),
        node.kind().mode(node.weight()),
        node.weight(),
        token,
        holds ? Tokens.lastOfRevision(token) : 0,
        session.since(content.stat().getCtime()),
        holds ? ttl : waiting,
        record.value());
  }
}
