package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Takes claims out of their queues. */
final class Leaving {

  private final Link link;

  Leaving(Link link) {
    this.link = link;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures) {
    for (Departure departure : departures) {
      if (!departure.linger().isZero()) {
        throw new IllegalArgumentException(
            link + " cannot keep a lock taken after its holder left; linger must be zero");
      }
    }
    Map<Claim, CompletableFuture<Left>> answers = new LinkedHashMap<>();
    for (Departure departure : departures) {
      Claim claim = departure.claim();
      Session session = link.session(claim.lock());
      if (departure.tombstone()) {
        session.places().bury(claim);
      }
      answers.put(claim, leave(session, claim).exceptionally(failure -> Left.UNKNOWN));
    }
    List<CompletableFuture<?>> all = new ArrayList<>(answers.values());
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              Map<Claim, Left> left = new HashMap<>();
              answers.forEach((claim, answer) -> left.put(claim, answer.join()));
              return left;
            });
  }

  private CompletableFuture<Left> leave(Session session, Claim claim) {
    Place place = session.places().get(Place.Key.of(claim));
    if (place == null) {
      return search(session, claim);
    }
    boolean joining = place.is(Place.State.JOINING);
    session.places().end(place);
    if (joining) {
      // Its create was sent before: once that is answered, the join has taken it out again.
      return place.joined.handle((answer, failure) -> search(session, claim)).thenCompose(l -> l);
    }
    return place.path.isEmpty()
        ? search(session, claim)
        : session.remove(place).thenApply(Leaving::left);
  }

  /** Not ours, or its join was never answered: it is looked for by its id. */
  private CompletableFuture<Left> search(Session session, Claim claim) {
    Zk zk = session.zk();
    String container = Names.container(claim.lock());
    // Whatever an earlier connection has sent is decided before this write.
    CompletableFuture<?> decided = session.renew();
    return decided
        .thenCombine(zk.childrenIfAny(container), (stat, names) -> Queue.of(names))
        .thenCompose(
            queue -> {
              Node node = queue.findId(claim.id());
              return node == null
                  ? CompletableFuture.completedFuture(Left.GONE)
                  : zk.delete(container + "/" + node.name()).thenApply(Leaving::left);
            });
  }

  /** Ends those who are let in. */
  CompletableFuture<Boolean> evict(String lock) {
    Zk zk = link.session(lock).zk();
    String container = Names.container(lock);
    zk.sync(container);
    return zk.childrenIfAny(container)
        .thenApply(Queue::of)
        .thenCompose(
            queue -> {
              CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
              for (Node node : queue.nodes().subList(0, queue.admitted())) {
                any = any.thenCombine(zk.delete(container + "/" + node.name()), Boolean::logicalOr);
              }
              return any;
            });
  }

  private static Left left(boolean wasThere) {
    return wasThere ? Left.LEFT : Left.GONE;
  }
}
