package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
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
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Enters queues: the folder, the claim's node and the look at the queue are sent back to back, so
 * that one round trip is waited for.
 */
final class Joining {

  /** How often the nodes that a claim stands on may be missing before that is a failure. */
  private static final int ATTEMPTS = 3;

  /** How long after its creation a claim that was not let in may not have left yet. */
  private static final long LEAVING_MILLIS = 500;

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  /** So often is looked whether who only tried has left: this keeps those who are busy waiting. */
  private static final int LOOKS = 5;

  /** So often is looked whether who did not agree has left: to be told so wrongly is worse. */
  private static final int MORE_LOOKS = 50;

  private final Link link;
  private final Renewal renewal;
  private final Ticker ticker;

  Joining(Link link, Renewal renewal, Ticker ticker) {
    this.link = link;
    this.renewal = renewal;
    this.ticker = ticker;
  }

  CompletableFuture<JoinAnswer> join(Claim claim, boolean wait) {
    Session session = link.session(claim.lock());
    if (!session.lasts(claim)) {
      throw new IllegalArgumentException(
          "ttl (" + claim.ttl() + ") is longer than " + link + " allows: " + session.longestTtl());
    }
    Place place = new Place(claim);
    if (session.places().isBuried(place.key)) {
      return CompletableFuture.completedFuture(new Busy(null));
    }
    Place known = session.places().add(place);
    if (known != null) {
      return again(known, claim, wait);
    }
    Entry entry = new Entry(session, place, wait, ticker.nanoTime());
    entry
        .enter(ATTEMPTS)
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
  private CompletableFuture<JoinAnswer> again(Place known, Claim claim, boolean wait) {
    if (known.is(Place.State.JOINING)) {
      return known
          .joined
          .handle((answer, failure) -> join(claim, wait))
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
                  ? join(claim, wait)
                  : CompletableFuture.<JoinAnswer>failedFuture(
                      new StoreException(claim.lock(), "No answer from " + link));
            });
  }

  /** One claim on its way in. */
  private final class Entry {
    private final Session session;
    private final Place place;
    private final Claim claim;
    private final boolean wait;
    private final long sent;

    Entry(Session session, Place place, boolean wait, long sent) {
      this.session = session;
      this.place = place;
      this.claim = place.claim;
      this.wait = wait;
      this.sent = sent;
    }

    CompletableFuture<JoinAnswer> enter(int attempts) {
      Zk zk = session.zk();
      String container = place.container();
      zk.create(container, new byte[0], CreateMode.CONTAINER);
      CompletableFuture<Zk.Made> made =
          zk.create(
              container + "/" + Node.prefix(session.id(), claim, wait),
              ClaimRecord.of(claim).bytes(),
              CreateMode.EPHEMERAL_SEQUENTIAL);
      CompletableFuture<List<String>> children = zk.children(container, null);
      return made.handle(
              (node, failure) -> {
                if (failure == null) {
                  return stand(node, children);
                }
                if (Zk.is(failure, Code.NONODE) && attempts > 1) {
                  return makeFolders().thenCompose(yes -> enter(attempts - 1));
                }
                return fail(failure);
              })
          .thenCompose(answer -> answer);
    }

    private CompletableFuture<?> makeFolders() {
      link.makeRoot();
      String container = place.container();
      return link.make(container.substring(0, container.lastIndexOf('/')));
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
        Zk.Made node, CompletableFuture<List<String>> children) {
      long token = Tokens.ofRevision(node.stat().getCzxid());
      long deadline = sent + claim.waitingTtl().toNanos(); // for as long as it is not let in
      if (!session.places().found(place, Place.State.JOINING, node.path(), token, deadline)) {
        // It was taken back while it was on its way.
        return session.zk().delete(node.path()).thenApply(yes -> new Busy(null));
      }
      return children.thenCompose(names -> decide(Queue.of(names), node, 0));
    }

    private CompletableFuture<JoinAnswer> decide(Queue queue, Zk.Made node, int looks) {
      removeEarlier(queue);
      int index = queue.indexOf(place.name());
      if (index < 0) {
        session.places().end(place);
        return CompletableFuture.completedFuture(new Busy(null));
      }
      if (queue.isAdmitted(index)) {
        Granted granted = renewal.granted(session, place, claim, sent);
        return granted == null ? tooLate() : CompletableFuture.completedFuture(granted);
      }
      Node first = queue.nodes().get(0);
      boolean agreed = first.agrees(queue.nodes().get(index));
      if (agreed && wait) {
        return CompletableFuture.completedFuture(renewal.queued(session, place, queue, index));
      }
      return session
          .zk()
          .read(place.container() + "/" + first.name(), null)
          .handle((content, failure) -> failure == null ? content : null)
          .thenCompose(
              head -> {
                boolean mayLeave =
                    head == null
                        || ((!agreed || first.trying())
                            && node.stat().getCtime() - head.stat().getCtime() < LEAVING_MILLIS);
                if (mayLeave && looks < (agreed ? LOOKS : MORE_LOOKS)) {
                  return later(() -> look(node, looks + 1));
                }
                return leave().thenApply(yes -> agreed ? busy(head) : mismatch(first));
              });
    }

    private CompletableFuture<JoinAnswer> tooLate() {
      return CompletableFuture.failedFuture(
          new StoreException(
              claim.lock(), "The answer of " + link + " took longer than " + claim.waitingTtl()));
    }

    private JoinAnswer busy(Zk.@Nullable Content holder) {
      return new Busy(holder == null ? null : ClaimRecord.parse(holder.data()).owner());
    }

    private JoinAnswer mismatch(Node first) {
      return new Mismatch(first.kind(), first.capacity());
    }

    /** The same claim may have ended before while no server could be told: it must not block us. */
    private void removeEarlier(Queue queue) {
      String owner = Node.owner(session.id(), claim.id());
      for (Node node : queue.nodes()) {
        if (node.owner().equals(owner) && !node.name().equals(place.name())) {
          session.zk().delete(place.container() + "/" + node.name());
        }
      }
    }

    private CompletableFuture<JoinAnswer> look(Zk.Made node, int looks) {
      return session
          .zk()
          .children(place.container(), null)
          .thenCompose(names -> decide(Queue.of(names), node, looks));
    }

    private CompletableFuture<JoinAnswer> later(Supplier<CompletableFuture<JoinAnswer>> step) {
      CompletableFuture<Boolean> waited = new CompletableFuture<>();
      ticker.schedule(BETWEEN_LOOKS, () -> waited.complete(true));
      return waited.thenCompose(yes -> step.get());
    }

    private CompletableFuture<Boolean> leave() {
      session.places().end(place);
      return session.remove(place);
    }
  }
}
