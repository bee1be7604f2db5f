package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Carries out joins. The reply to creating the claim's node says whether the claim is alone; if so,
 * it is granted with that one request. Otherwise the queue is read. Other requests are pipelined
 * with the create, so a join waits for one round trip: creating the folder, unless it existed a
 * moment ago, and reading the queue of a claim that can share the lock.
 *
 * <p>Thread-safe.
 */
final class JoinProtocol {

  /** The number of attempts while the folders of the claim's node are missing. */
  private static final int ATTEMPTS = 4;

  /** ZooKeeper returns all claims of a lock in one reply, and cuts the connection at a megabyte. */
  private static final int MAX_CLAIMS = 5_000;

  /** A claim that only tries may take this long to leave after its creation. */
  private static final long LEAVING_MILLIS = 500;

  private static final Duration BETWEEN_READS = Duration.ofMillis(10);

  /** The number of reads that wait for a claim that only tries to leave. */
  private static final int READS = 5;

  /**
   * The number of times that the same claim must be seen at the head before it decides the lock's
   * kind. A claim that disagrees with those that have just left is leaving too.
   */
  private static final int MISMATCH_READS = 40;

  private final StoreConnection connection;
  private final Renewal renewal;
  private final Ticker ticker;
  private final FolderCache folders = new FolderCache();

  JoinProtocol(StoreConnection connection, Renewal renewal, Ticker ticker) {
    this.connection = connection;
    this.renewal = renewal;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return connection
        .session(claim.lock(), deadline)
        .thenCompose(session -> join(session, claim, wait, deadline));
  }

  private CompletableFuture<JoinAnswer> join(
      Session session, Claim claim, boolean wait, Deadline deadline) {
    if (!session.lasts(claim)) {
      throw new IllegalArgumentException(
          "ttl ("
              + claim.ttl()
              + ") is longer than "
              + connection
              + " allows: "
              + session.longestTtl());
    }
    OwnClaim own = new OwnClaim(claim);
    if (connection.tombstones().get(own.key) != null) {
      return CompletableFuture.completedFuture(new Busy(null));
    }
    OwnClaim known = session.claims.add(own);
    if (known != null) {
      return repeat(known, claim, wait, deadline);
    }
    new Attempt(session, own, wait, deadline)
        .start()
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                own.joined.complete(answer);
              } else {
                own.joined.completeExceptionally(failure);
              }
            });
    return own.joined;
  }

  /** The claim may be stored already: it keeps its position and never gets a second node. */
  private CompletableFuture<JoinAnswer> repeat(
      OwnClaim known, Claim claim, boolean wait, Deadline deadline) {
    if (known.is(State.JOINING)) {
      return known
          .joined
          .handle((answer, failure) -> join(claim, wait, deadline))
          .thenCompose(answer -> answer);
    }
    return renewal
        .refresh(List.of(claim))
        .thenCompose(
            standings -> {
              Standing standing = standings.get(claim);
              if (standing instanceof JoinAnswer answer) {
                return CompletableFuture.completedFuture(answer);
              }
              return standing == Gone.GONE
                  ? join(claim, wait, deadline)
                  : CompletableFuture.failedFuture(
                      new StoreException(claim.lock(), "No answer from " + connection));
            });
  }

  /**
   * The folders of locks that existed a moment ago: they need not be created before a join. An
   * entry may be stale, because the servers remove empty folders; then creating the claim's node
   * fails, which costs one round trip. Of two folders with the same slot, the cache keeps the last
   * one.
   *
   * <p>Thread-safe.
   */
  static final class FolderCache {

    private static final int SLOTS = 1024;

    // Mutable state
    private final AtomicReferenceArray<String> seen = new AtomicReferenceArray<>(SLOTS);

    boolean contains(String folder) {
      return folder.equals(seen.get(slot(folder)));
    }

    void add(String folder) {
      seen.set(slot(folder), folder);
    }

    /** {@return true if it was there} */
    boolean remove(String folder) {
      String last = seen.get(slot(folder));
      return folder.equals(last) && seen.compareAndSet(slot(folder), last, null);
    }

    private static int slot(String folder) {
      return Math.floorMod(folder.hashCode(), SLOTS);
    }
  }

  /** One join of one claim. */
  private final class Attempt {
    private final Session session;
    private final AsyncZooKeeper zk;
    private final ClaimRegistry claims;
    private final OwnClaim own;
    private final Claim claim;
    private final boolean wait;
    private final Deadline deadline;
    private final long sent = ticker.nanoTime();
    private final long expiry; // while it is not granted

    // Mutable state: answers come one after the other
    private int reads;
    private int readsOfHead;
    private String head = "";

    Attempt(Session session, OwnClaim own, boolean wait, Deadline deadline) {
      this.session = session;
      this.zk = session.zk;
      this.claims = session.claims;
      this.own = own;
      this.claim = own.claim;
      this.wait = wait;
      this.deadline = deadline;
      this.expiry = sent + claim.waitingTtl().toNanos();
    }

    CompletableFuture<JoinAnswer> start() {
      try {
        return enter(ATTEMPTS);
      } catch (RuntimeException e) {
        claims.end(own); // nothing was sent, so no answer will come
        return CompletableFuture.failedFuture(e);
      }
    }

    private CompletableFuture<JoinAnswer> enter(int attempts) {
      own.keepable = claim.keepable();
      if (!folders.contains(own.container)) {
        zk.create(own.container, CreateMode.CONTAINER);
      }
      CompletableFuture<AsyncZooKeeper.Entered> entered =
          zk.enter(
              own.container,
              ClaimNode.prefix(session.id(), claim, wait),
              ClaimRecord.bytes(claim),
              claim.keepable() ? ClaimNode.keepable(session.id(), claim.id()) : null);
      boolean shares = claim.weight() < claim.capacity();
      CompletableFuture<NodeQueue> early = shares ? zk.queue(own.container) : null;
      return entered
          .handle(
              (node, failure) -> {
                if (failure == null) {
                  return entered(node, early);
                }
                if (AsyncZooKeeper.is(failure, Code.NONODE) && attempts > 1) {
                  return makeFolders().thenCompose(yes -> enter(attempts - 1));
                }
                if (AsyncZooKeeper.is(failure, Code.NODEEXISTS) && attempts > 1) {
                  // An earlier join of this claim has left a mark that nobody could delete.
                  return session.keepable.remove(own).thenCompose(yes -> enter(attempts - 1));
                }
                return fail(failure);
              })
          .thenCompose(answer -> answer);
    }

    /** The servers have removed the lock's folder, or its parents are missing too. */
    private CompletableFuture<?> makeFolders() {
      if (folders.remove(own.container)) {
        return CompletableFuture.completedFuture(true);
      }
      connection.makeRoot();
      return connection.make(own.container.substring(0, own.container.lastIndexOf('/')));
    }

    private CompletableFuture<JoinAnswer> fail(Throwable failure) {
      if (AsyncZooKeeper.is(failure, Code.CONNECTIONLOSS)
          || AsyncZooKeeper.is(failure, Code.OPERATIONTIMEOUT)) {
        claims.unresolved(own, expiry);
      } else {
        claims.end(own);
      }
      return CompletableFuture.failedFuture(failure);
    }

    private CompletableFuture<JoinAnswer> entered(
        AsyncZooKeeper.Entered node, @Nullable CompletableFuture<NodeQueue> early) {
      folders.add(own.container);
      long token = Tokens.ofRevision(node.zxid());
      if (!claims.stored(own, node.path(), token, expiry)) {
        // The claim has left while its create was under way.
        return session.remove(own).thenApply(yes -> new Busy(null));
      }
      if (node.siblings() == 0) {
        return grant();
      }
      CompletableFuture<NodeQueue> read;
      if (early != null) {
        read = early;
      } else if (wait && node.siblings() == 1) {
        read = session.wakeups.readAndWatch(own);
      } else {
        read = zk.queue(own.container);
      }
      return read.thenCompose(queue -> decide(queue, node));
    }

    private CompletableFuture<JoinAnswer> decide(NodeQueue queue, AsyncZooKeeper.Entered node) {
      if (!own.is(State.STORED)) {
        return failed("the claim has left or expired meanwhile");
      }
      int index = queue.indexOf(own.name());
      if (index < 0) {
        session.lost(own, "its node was deleted while it joined");
        return failed("the node of its claim was deleted");
      }
      if (index >= MAX_CLAIMS) {
        return leave().thenCompose(yes -> failed("its queue is full (" + index + " claims)"));
      }
      List<ClaimNode> earlier =
          queue.nodes().subList(0, index).stream().filter(this::isOurs).toList();
      if (!earlier.isEmpty()) {
        return zk.deleteAll(own.container, earlier).thenCompose(yes -> read(node));
      }
      if (queue.isGranted(index)) {
        return grant();
      }
      ClaimNode first = queue.nodes().get(0);
      reads++;
      readsOfHead = first.name().equals(head) ? readsOfHead + 1 : 1;
      head = first.name();
      if (!first.agreesWith(queue.nodes().get(index))) {
        return readsOfHead < MISMATCH_READS
            ? readLater(node)
            : leave().thenApply(yes -> new Mismatch(first.kind(), first.capacity()));
      }
      return wait || queue.isBehindKeepable(index)
          ? CompletableFuture.completedFuture(session.enqueue(own, queue, index))
          : busy(first, node);
    }

    private CompletableFuture<JoinAnswer> grant() {
      Granted granted = session.grant(own, claim, sent);
      if (own.keepable) {
        session.keepable.granted(own);
      }
      return granted == null
          ? failed("the answer took longer than " + claim.waitingTtl())
          : CompletableFuture.completedFuture(granted);
    }

    /** Reports the holder, unless the first claim only tries and may be about to leave. */
    private CompletableFuture<JoinAnswer> busy(ClaimNode first, AsyncZooKeeper.Entered node) {
      return zk.read(own.container + "/" + first.name(), null)
          .handle((content, failure) -> failure == null ? content : null)
          .thenCompose(
              holder -> {
                boolean mayLeave =
                    holder == null
                        || (first.trying()
                            && node.millis() - holder.stat().getCtime() < LEAVING_MILLIS);
                return mayLeave && reads <= READS
                    ? readLater(node)
                    : leave().thenApply(yes -> busy(first, holder));
              });
    }

    private JoinAnswer busy(ClaimNode first, AsyncZooKeeper.@Nullable Content holder) {
      return new Busy(
          holder == null
              ? null
              : ClaimRecord.parse(own.container, first.name(), holder.data()).owner());
    }

    private CompletableFuture<JoinAnswer> failed(String why) {
      return CompletableFuture.failedFuture(
          new StoreException(
              claim.lock(), "'" + claim.lock() + "' at " + connection + " was not joined: " + why));
    }

    /** Earlier nodes of the same claim remain when no server could be reached to delete them. */
    private boolean isOurs(ClaimNode node) {
      return node.owner().equals(ClaimNode.owner(session.id(), claim.id()));
    }

    private CompletableFuture<JoinAnswer> read(AsyncZooKeeper.Entered node) {
      return zk.queue(own.container).thenCompose(queue -> decide(queue, node));
    }

    private CompletableFuture<JoinAnswer> readLater(AsyncZooKeeper.Entered node) {
      return deadline.isOver()
          ? leave().thenCompose(yes -> failed("its deadline has passed"))
          : ticker.after(BETWEEN_READS).thenCompose(yes -> read(node));
    }

    private CompletableFuture<Boolean> leave() {
      claims.end(own);
      return session.remove(own);
    }
  }
}
