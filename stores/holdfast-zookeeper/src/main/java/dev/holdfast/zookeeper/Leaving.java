package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/** Takes claims out of their queues. */
final class Leaving {

  /** How often a claim may change between the look at it and its eviction. */
  private static final int EVICTIONS = 16;

  private final Link link;

  Leaving(Link link) {
    this.link = link;
  }

  CompletableFuture<Map<Claim, Left>> leave(Collection<Departure> departures, Deadline deadline) {
    for (Departure departure : departures) {
      if (!departure.linger().isZero()) {
        throw new IllegalArgumentException(
            link + " cannot keep a lock taken after its holder left; linger must be zero");
      }
      if (departure.tombstone()) {
        // At once: its join may be waiting for the same session.
        link.burials().bury(departure.claim());
      }
    }
    return link.session("", deadline).thenCompose(session -> leave(session, departures));
  }

  private static CompletableFuture<Map<Claim, Left>> leave(
      Session session, Collection<Departure> departures) {
    Map<Claim, CompletableFuture<Left>> answers = new LinkedHashMap<>();
    for (Departure departure : departures) {
      Claim claim = departure.claim();
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

  private static CompletableFuture<Left> leave(Session session, Claim claim) {
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
  private static CompletableFuture<Left> search(Session session, Claim claim) {
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

  /** Ends the granted claims, or the one that the token names. */
  CompletableFuture<Boolean> evict(String lock, long token) {
    return evict(lock, token, EVICTIONS);
  }

  private CompletableFuture<Boolean> evict(String lock, long token, int attempts) {
    Session session = link.session(lock);
    String container = Names.container(lock);
    CompletableFuture<Boolean> ended =
        session
            .look(container)
            .thenCompose(
                queue -> {
                  List<Node> holders = queue.nodes().subList(0, queue.admitted());
                  return token == LockStore.ANY_TOKEN
                      ? delete(session, container, holders)
                      : deleteNamed(session, container, holders, token);
                });
    return Zk.or(
        ended,
        Code.BADVERSION,
        () -> attempts > 1 ? evict(lock, token, attempts - 1) : failed(lock));
  }

  /**
   * Which token a claim has is read before it is deleted. Nobody else gets its node's name, and a
   * downgrade, after which a later token no longer names it, changes the version of its data.
   */
  private static CompletableFuture<Boolean> deleteNamed(
      Session session, String container, List<Node> holders, long token) {
    CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
    for (Node holder : holders) {
      String path = container + "/" + holder.name();
      CompletableFuture<Boolean> one =
          session
              .zk()
              .existing(path)
              .thenCompose(
                  stat ->
                      holder.isNamedBy(token, stat.getCzxid())
                          ? session.zk().delete(path, stat.getVersion())
                          : CompletableFuture.completedFuture(false));
      any =
          any.thenCombine(
              Zk.or(one, Code.NONODE, () -> CompletableFuture.completedFuture(false)),
              Boolean::logicalOr);
    }
    return any;
  }

  /** Deletes the nodes that cannot be read, unless they have changed since. */
  CompletableFuture<Boolean> discard(String lock) {
    Session session = link.session(lock);
    String container = Names.container(lock);
    return session
        .renew() // what was written before is seen
        .thenCompose(stat -> session.zk().childrenIfAny(container))
        .thenCompose(
            names -> {
              CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
              for (String name : names) {
                any = any.thenCombine(discard(session, container, name), Boolean::logicalOr);
              }
              return any;
            });
  }

  private static CompletableFuture<Boolean> discard(
      Session session, String container, String name) {
    String path = container + "/" + name;
    if (!Node.isReadable(name)) {
      return session.zk().delete(path);
    }
    if (Node.isLowering(name)) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> discarded =
        session
            .zk()
            .read(path, null)
            .thenCompose(
                content ->
                    ClaimRecord.isReadable(content.data())
                        ? CompletableFuture.completedFuture(false)
                        : session.zk().delete(path, content.stat().getVersion()));
    return Zk.or(discarded, Code.NONODE, () -> CompletableFuture.completedFuture(false));
  }

  private CompletableFuture<Boolean> failed(String lock) {
    return CompletableFuture.failedFuture(
        new StoreException(
            lock, "The holder of '" + lock + "' at " + link + " changes too often to be evicted"));
  }

  private static Left left(boolean wasThere) {
    return wasThere ? Left.LEFT : Left.GONE;
  }
}
