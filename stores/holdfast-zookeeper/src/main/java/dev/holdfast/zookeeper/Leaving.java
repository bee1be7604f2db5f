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
        link.burials().bury(claim);
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
    String container = Names.container(claim.lock());
    // Whatever an earlier connection has sent is decided before the write of this look.
    return session
        .look(container)
        .thenCompose(queue -> delete(session, container, queue.findId(claim.id())))
        .thenApply(Leaving::left);
  }

  /** Returns whether any was there. */
  private static CompletableFuture<Boolean> delete(
      Session session, String container, List<Node> nodes) {
    CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
    for (Node node : nodes) {
      CompletableFuture<Boolean> one = session.zk().delete(container + "/" + node.name());
      any = any.thenCombine(one, Boolean::logicalOr);
    }
    return any;
  }

  /** Ends those who are let in. */
  CompletableFuture<Boolean> evict(String lock) {
    Session session = link.session(lock);
    String container = Names.container(lock);
    return session
        .look(container)
        .thenCompose(
            queue -> delete(session, container, queue.nodes().subList(0, queue.admitted())));
  }

  private static Left left(boolean wasThere) {
    return wasThere ? Left.LEFT : Left.GONE;
  }
}
