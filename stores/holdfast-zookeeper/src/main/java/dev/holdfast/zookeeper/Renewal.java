package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Tells how claims stand, and renews them: one committed write for all of a batch, and one look at
 * the queue for each lock that is waited for.
 *
 * <p>A claim that is let in needs no look: ZooKeeper reports the deletion of its node, for which
 * there is a watch, before it answers a later write. Where the watch does not stand when the write
 * is answered, a read behind the write decides: no claim is given up on the word of one server.
 */
final class Renewal {

  private final Link link;
  private final Ticker ticker;

  Renewal(Link link, Ticker ticker) {
    this.link = link;
    this.ticker = ticker;
  }

  CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims) {
    if (claims.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Claim first = claims.iterator().next();
    Batch batch = new Batch(link.latest(first.lock()), ticker.nanoTime());
    Place place = batch.session.places().get(Place.Key.of(first));
    String ahead = place == null ? null : place.onlyAhead;
    return claims.size() == 1
            && place != null
            && ahead != null
            && batch.mayFollow(place, first, ahead)
        ? batch.succeed(place, first, ahead)
        : batch.refresh(claims);
  }

  /** The claim is let in, as something sent at this time has shown; null if it has ended. */
  static @Nullable Granted granted(Session session, Place place, Claim asked, long sent) {
    if (!place.granted) {
      place.granted = true;
      session.lookout().hold(place);
    }
    return session.places().arm(place, sent) ? place.grant(asked.spares()) : null;
  }

  /** The claim waits. */
  static Queued queued(Session session, Place place, Queue queue, int index) {
    Node first = queue.nodes().get(0);
    // One that weighs one can only go; of others there may be more to ask than whether they are
    // there.
    boolean alone = index == 1 && first.weight() == 1;
    place.onlyAhead = alone ? place.container + "/" + first.name() : null;
    session.lookout().follow(place, queue, index);
    return new Queued(index);
  }

  /** One refresh: changes, watches, the write and the looks are sent in this order. */
  private final class Batch {
    private final Session session;
    private final Zk zk;
    private final long sent;

    Batch(Session session, long sent) {
      this.session = session;
      this.zk = session.zk();
      this.sent = sent;
    }

    CompletableFuture<Map<Claim, Standing>> refresh(Collection<Claim> claims) {
      Map<Claim, Place> known = new HashMap<>();
      Map<Claim, CompletableFuture<?>> changes = new HashMap<>();
      for (Claim claim : claims) {
        Place place = session.places().get(Place.Key.of(claim));
        if (place != null && session.lasts(claim)) {
          known.put(claim, place);
          if (place.is(Place.State.THERE)) {
            changes.put(claim, prepare(place, claim));
          }
        }
      }
      // What is not known has ended, with its session perhaps: nobody need be asked.
      CompletableFuture<Stat> written =
          known.isEmpty() ? CompletableFuture.completedFuture(new Stat()) : session.renew();
      Map<String, CompletableFuture<Queue>> looks = new HashMap<>();
      Map<Claim, CompletableFuture<Standing>> answers = new LinkedHashMap<>();
      for (Claim claim : claims) {
        Place place = known.get(claim);
        CompletableFuture<Standing> answer =
            place == null
                ? CompletableFuture.completedFuture(gone())
                : answer(place, claim, changes.get(claim), written, looks);
        answers.put(claim, answer.exceptionally(failure -> failed(claim, failure)));
      }
      List<CompletableFuture<?>> all = new ArrayList<>(answers.values());
      return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
          .thenApply(
              done -> {
                Map<Claim, Standing> standings = new HashMap<>();
                answers.forEach((claim, answer) -> standings.put(claim, answer.join()));
                return standings;
              });
    }

    /** Whether it waits as it did, and the one ahead may have left. */
    boolean mayFollow(Place place, Claim claim, String ahead) {
      return place.is(Place.State.THERE)
          && !place.granted
          && session.lasts(claim)
          && place.changed(claim) == null
          && session.lookout().isOver(place, ahead);
    }

    /**
     * Asks for the claim and the only one that was ahead of it, in one transaction: nobody can have
     * come between. It is committed as any write is, and so it renews the claim.
     */
    CompletableFuture<Map<Claim, Standing>> succeed(Place place, Claim claim, String ahead) {
      return zk.check(place.path, ahead)
          .thenApply(
              there ->
                  switch (there) {
                    case FIRST_ONLY -> confirmed(place, claim);
                    case FIRST_MISSING -> missing(place);
                    case BOTH -> behind(place, ahead);
                  })
          .exceptionally(failure -> failed(claim, failure))
          .thenApply(standing -> Map.of(claim, standing));
    }

    private Standing missing(Place place) {
      session.lost(place, "its node was deleted while it waited");
      return gone();
    }

    private Standing behind(Place place, String ahead) {
      if (!session.places().arm(place, sent)) {
        return gone();
      }
      session.lookout().follow(place, ahead);
      return new Queued(1);
    }

    /** Writes what has changed, and makes sure that a deletion will be reported. */
    private CompletableFuture<?> prepare(Place place, Claim claim) {
      Claim changed = place.changed(claim);
      CompletableFuture<?> change = CompletableFuture.completedFuture(true);
      if (changed != null) {
        if (changed.weight() < place.claim.weight()) {
          String lowered =
              place.container + "/" + Node.lowered(session.id(), claim.id(), changed.weight());
          place.lower(lowered);
          CompletableFuture<Zk.Made> made = zk.create(lowered, new byte[0], CreateMode.EPHEMERAL);
          change = made.handle((node, failure) -> lowered(failure));
        }
        // This also tells those who watch the node that its weight is another.
        change =
            change.thenCombine(
                zk.setData(place.path, ClaimRecord.of(changed).bytes()),
                (before, stat) -> {
                  place.claim = changed;
                  return before;
                });
      }
      if (place.granted && (!place.watched || changed != null)) {
        session.lookout().guard(place); // what it tells is seen when the write is answered
      }
      return change;
    }

    private boolean lowered(@Nullable Throwable failure) {
      if (failure != null && !Zk.is(failure, Code.NODEEXISTS)) {
        throw new CompletionException(Zk.cause(failure));
      }
      return true;
    }

    private CompletableFuture<Standing> answer(
        Place place,
        Claim claim,
        @Nullable CompletableFuture<?> change,
        CompletableFuture<Stat> written,
        Map<String, CompletableFuture<Queue>> looks) {
      if (place.is(Place.State.JOINING)) {
        return CompletableFuture.completedFuture(new Unknown(null));
      }
      CompletableFuture<?> renewed =
          change == null ? written : written.thenCombine(change, (stat, done) -> stat);
      if (place.granted) {
        return renewed.thenCompose(done -> watched(place, claim));
      }
      CompletableFuture<Queue> look =
          looks.computeIfAbsent(
              place.container, path -> zk.childrenIfAny(path).thenApply(Queue::of));
      return renewed
          .thenCombine(look, (done, queue) -> queue)
          .thenCompose(
              queue -> found(place, queue).thenApply(there -> stands(place, claim, queue)));
    }

    private CompletableFuture<Standing> watched(Place place, Claim claim) {
      if (place.watched || !place.is(Place.State.THERE)) {
        return CompletableFuture.completedFuture(confirmed(place, claim));
      }
      CompletableFuture<Standing> there =
          session.lookout().guard(place).thenApply(content -> confirmed(place, claim));
      return Zk.or(
          there,
          Code.NONODE,
          () -> {
            session.lost(place, "its node was deleted");
            return CompletableFuture.completedFuture(gone());
          });
    }

    /**
     * The connection may be another one by now, on which the session lasts less long. Then the
     * claim is not renewed, and its node goes when its ttl is over: not before, because its holder
     * may count on it until it hears this.
     */
    private Standing confirmed(Place place, Claim claim) {
      Granted granted =
          place.is(Place.State.THERE) && session.lasts(claim)
              ? granted(session, place, claim, sent)
              : null;
      return granted == null ? gone() : granted;
    }

    /** A claim whose join was not answered is looked for; the write has decided whether it is. */
    private CompletableFuture<?> found(Place place, Queue queue) {
      List<Node> nodes = queue.find(Node.owner(session.id(), place.key.id()));
      if (!place.is(Place.State.UNCERTAIN) || nodes.isEmpty()) {
        return CompletableFuture.completedFuture(true);
      }
      // Several, if the answers to several joins got lost: one is enough.
      nodes
          .subList(1, nodes.size())
          .forEach(node -> zk.delete(place.container + "/" + node.name()));
      String path = place.container + "/" + nodes.get(0).name();
      return zk.read(path, null)
          .thenApply(
              content ->
                  session
                      .places()
                      .found(
                          place,
                          Place.State.UNCERTAIN,
                          path,
                          Tokens.ofRevision(content.stat().getCzxid()),
                          place.deadline()));
    }

    private Standing stands(Place place, Claim claim, Queue queue) {
      int index = place.path.isEmpty() ? -1 : queue.indexOf(place.name());
      if (index < 0 || !place.is(Place.State.THERE)) {
        return missing(place);
      }
      if (queue.isAdmitted(index)) {
        return confirmed(place, claim);
      }
      if (!session.places().arm(place, sent)) {
        return gone();
      }
      return queued(session, place, queue, index);
    }

    /** What a closed store has forgotten may be there. */
    private Standing gone() {
      return link.isClosed() ? new Unknown(null) : Gone.GONE;
    }

    private Standing failed(Claim claim, Throwable failure) {
      // ZooKeeper's client says so too when we have closed it, and the claims live on.
      if (Zk.is(failure, Code.SESSIONEXPIRED) && session.isOver()) {
        return Gone.GONE;
      }
      return new Unknown(link.unknown("renewal", claim.lock(), failure));
    }
  }
}
