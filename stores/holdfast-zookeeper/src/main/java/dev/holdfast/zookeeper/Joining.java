package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Enters queues. The answer to the claim's node tells whether it is alone, and then it is let in:
 * one request. Otherwise a look at the queue follows. What else is needed is sent back to back with
 * the node, so that one round trip is waited for: the folder, unless it was there a moment ago, and
 * the look of a claim that may be let in although it is not alone.
 */
final class Joining {

  /** How often the nodes that a claim stands on may be missing before that is a failure. */
  private static final int ATTEMPTS = 4;

  /** ZooKeeper tells all claims of a lock at once, and cuts the connection at a megabyte. */
  private static final int MOST_CLAIMS = 5_000;

  /** How long after its creation a claim that only tried may not have left yet. */
  private static final long LEAVING_MILLIS = 500;

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  /** So often is looked whether who only tried has left: this keeps those who are busy waiting. */
  private static final int LOOKS = 5;

  /**
   * So often is the same claim seen at the head before it sets the rule. One that does not agree
   * with those who have just left is on its way out too, however slow its client is.
   */
  private static final int MORE_LOOKS = 40;

  private final Link link;
  private final Renewal renewal;
  private final Ticker ticker;
  private final Folders folders = new Folders();

  Joining(Link link, Renewal renewal, Ticker ticker) {
    this.link = link;
    this.renewal = renewal;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return link.session(claim.lock(), deadline)
        .thenCompose(session -> join(session, claim, wait, deadline));
  }

  private CompletableFuture<JoinAnswer> join(
      Session session, Claim claim, boolean wait, Deadline deadline) {
    if (!session.lasts(claim)) {
      throw new IllegalArgumentException(
          "ttl (" + claim.ttl() + ") is longer than " + link + " allows: " + session.longestTtl());
    }
    Place place = new Place(claim);
    if (link.burials().holds(place.key)) {
      return CompletableFuture.completedFuture(new Busy(null));
    }
    Place known = session.places().add(place);
    if (known != null) {
      return again(known, claim, wait, deadline);
    }
    new Entry(session, place, wait, ticker.nanoTime(), deadline)
        .start()
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                place.joined.complete(answer);
              } else {
                place.joined.completeExceptionally(link.unknown("join", claim.lock(), failure));
              }
            });
    return place.joined;
  }

  /** The claim may be there already: it keeps its place, and never gets a second node. */
  private CompletableFuture<JoinAnswer> again(
      Place known, Claim claim, boolean wait, Deadline deadline) {
    if (known.is(Place.State.JOINING)) {
      return known
          .joined
          .handle((answer, failure) -> join(claim, wait, deadline))
          .thenCompose(answer -> answer);
    }
    return renewal
        .refresh(List.of(claim))
        .toCompletableFuture()
        .thenCompose(
            standings -> {
              Standing standing = standings.get(claim);
              if (standing instanceof Granted granted) {
                return CompletableFuture.<JoinAnswer>completedFuture(granted);
              }
              if (standing instanceof Queued queued) {
                return CompletableFuture.<JoinAnswer>completedFuture(queued);
              }
              return standing == Gone.GONE
                  ? join(claim, wait, deadline)
                  : CompletableFuture.<JoinAnswer>failedFuture(
                      new StoreException(claim.lock(), "No answer from " + link));
            });
  }

  /** How often the queue was looked at, and how often the same node was seen at its head. */
  private record Looks(int count, int same, String head) {

    static final Looks NONE = new Looks(0, 0, "");

    Looks at(Node first) {
      return new Looks(count + 1, first.name().equals(head) ? same + 1 : 1, first.name());
    }
  }

  /** One claim on its way in. */
  private final class Entry {
    private final Session session;
    private final Place place;
    private final Claim claim;
    private final boolean wait;
    private final long sent;
    private final Deadline deadline;

    Entry(Session session, Place place, boolean wait, long sent, Deadline deadline) {
      this.session = session;
      this.place = place;
      this.claim = place.claim;
      this.wait = wait;
      this.sent = sent;
      this.deadline = deadline;
    }

    CompletableFuture<JoinAnswer> start() {
      try {
        return enter(ATTEMPTS);
      } catch (RuntimeException e) {
        session.places().end(place); // nothing was sent, and nobody waits for an answer
        return CompletableFuture.failedFuture(e);
      }
    }

    private CompletableFuture<JoinAnswer> enter(int attempts) {
      Zk zk = session.zk();
      if (!folders.knows(place.container)) {
        zk.create(place.container, new byte[0], CreateMode.CONTAINER);
      }
      CompletableFuture<Zk.Entered> entered =
          zk.enter(
              place.container,
              Node.prefix(session.id(), claim, wait),
              ClaimRecord.of(claim).bytes());
      boolean shares = claim.weight() < claim.capacity();
      CompletableFuture<List<String>> early = shares ? zk.children(place.container, null) : null;
      return entered
          .handle(
              (node, failure) -> {
                if (failure == null) {
                  folders.remember(place.container);
                  return stand(node, early);
                }
                if (Zk.is(failure, Code.NONODE) && attempts > 1) {
                  return makeFolders().thenCompose(yes -> enter(attempts - 1));
                }
                return fail(failure);
              })
          .thenCompose(answer -> answer);
    }

    /** The servers have removed the lock's folder, or those above it are missing too. */
    private CompletableFuture<?> makeFolders() {
      if (folders.forget(place.container)) {
        return CompletableFuture.completedFuture(true);
      }
      link.makeRoot();
      return link.make(place.container.substring(0, place.container.lastIndexOf('/')));
    }

    private CompletableFuture<JoinAnswer> fail(Throwable failure) {
      if (Zk.is(failure, Code.CONNECTIONLOSS) || Zk.is(failure, Code.OPERATIONTIMEOUT)) {
        session.places().uncertain(place, sent + claim.waitingTtl().toNanos());
      } else {
        session.places().end(place);
      }
      return CompletableFuture.failedFuture(failure);
    }

    private CompletableFuture<JoinAnswer> stand(
        Zk.Entered node, @Nullable CompletableFuture<List<String>> early) {
      long token = Tokens.ofRevision(node.zxid());
      long until = sent + claim.waitingTtl().toNanos(); // for as long as it is not let in
      if (!session.places().found(place, Place.State.JOINING, node.path(), token, until)) {
        // It was taken back while it was on its way.
        return session.zk().delete(node.path()).thenApply(yes -> new Busy(null));
      }
      if (node.siblings() == 0) {
        return letIn();
      }
      CompletableFuture<List<String>> names;
      if (early != null) {
        names = early;
      } else if (wait && node.siblings() == 1) {
        names = session.lookout().lookAndFollow(place);
      } else {
        names = session.zk().children(place.container, null);
      }
      return names.thenCompose(
          children -> decide(Queue.of(place.container, children), node, Looks.NONE));
    }

    private CompletableFuture<JoinAnswer> decide(Queue queue, Zk.Entered node, Looks looks) {
      if (!place.is(Place.State.THERE)) {
        return failed("it was taken back, or its time is over");
      }
      int index = queue.indexOf(place.name());
      if (index < 0) {
        session.lost(place, "its node was deleted while it joined");
        return failed("the node of its claim was deleted");
      }
      if (index >= MOST_CLAIMS) {
        return leave().thenCompose(yes -> failed("it has " + index + " claims, no more fit"));
      }
      List<Node> earlier = queue.nodes().subList(0, index).stream().filter(this::isOurs).toList();
      if (!earlier.isEmpty()) {
        return removeAll(earlier).thenCompose(yes -> look(node, looks));
      }
      if (queue.isAdmitted(index)) {
        return letIn();
      }
      Node first = queue.nodes().get(0);
      if (!first.agrees(queue.nodes().get(index))) {
        Looks next = looks.at(first);
        return next.same < MORE_LOOKS
            ? lookAgain(node, next)
            : leave().thenApply(yes -> new Mismatch(first.kind(), first.capacity()));
      }
      return wait
          ? CompletableFuture.completedFuture(Renewal.queued(session, place, queue, index))
          : busy(first, node, looks.at(first));
    }

    private CompletableFuture<JoinAnswer> letIn() {
      Granted granted = Renewal.granted(session, place, claim, sent);
      return granted == null
          ? failed("the answer took longer than " + claim.waitingTtl())
          : CompletableFuture.completedFuture(granted);
    }

    /** Who holds it, unless the first in the queue only tries, and may be about to leave. */
    private CompletableFuture<JoinAnswer> busy(Node first, Zk.Entered node, Looks looks) {
      return session
          .zk()
          .read(place.container + "/" + first.name(), null)
          .handle((content, failure) -> failure == null ? content : null)
          .thenCompose(
              head -> {
                boolean mayLeave =
                    head == null
                        || (first.trying()
                            && node.millis() - head.stat().getCtime() < LEAVING_MILLIS);
                return mayLeave && looks.count <= LOOKS
                    ? lookAgain(node, looks)
                    : leave().thenApply(yes -> busy(first, head));
              });
    }

    private JoinAnswer busy(Node first, Zk.@Nullable Content holder) {
      return new Busy(
          holder == null
              ? null
              : ClaimRecord.parse(place.container, first.name(), holder.data()).owner());
    }

    private CompletableFuture<JoinAnswer> failed(String why) {
      return CompletableFuture.failedFuture(
          new StoreException(
              claim.lock(), "'" + claim.lock() + "' at " + link + " was not joined: " + why));
    }

    /** The same claim may have ended before while no server could be told: it must not block us. */
    private boolean isOurs(Node node) {
      return node.owner().equals(Node.owner(session.id(), claim.id()));
    }

    private CompletableFuture<?> removeAll(List<Node> nodes) {
      return CompletableFuture.allOf(
          nodes.stream()
              .map(node -> session.zk().delete(place.container + "/" + node.name()))
              .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<JoinAnswer> look(Zk.Entered node, Looks looks) {
      return session
          .zk()
          .children(place.container, null)
          .thenCompose(names -> decide(Queue.of(place.container, names), node, looks));
    }

    private CompletableFuture<JoinAnswer> lookAgain(Zk.Entered node, Looks looks) {
      if (deadline.isOver()) {
        return leave().thenCompose(yes -> failed("its deadline has passed"));
      }
      CompletableFuture<Boolean> waited = new CompletableFuture<>();
      ticker.schedule(BETWEEN_LOOKS, () -> waited.complete(true));
      return waited.thenCompose(yes -> look(node, looks));
    }

    private CompletableFuture<Boolean> leave() {
      session.places().end(place);
      return session.remove(place);
    }
  }
}
