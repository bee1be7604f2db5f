package dev.holdfast.zookeeper;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Ticker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Watches nodes: those of our own that are let in, and those that keep others of our own out.
 *
 * <p>Who is kept out by one node is told when that node changes. Who is kept out by several would
 * be told by each of them, and in vain by most: there a look at the queue comes first, and only
 * those whose turn has come are told. That look is also made when such watches have been set,
 * because of what happened before they stood nobody tells.
 *
 * <p><b>Threads.</b> Safe for any; events and answers come on ZooKeeper's event thread, in order.
 */
final class Lookout {

  /** Beyond so many watches for one waiter, one for the whole queue is cheaper. */
  private static final int MOST_BLOCKERS = 32;

  private final Zk zk;
  private final Watcher watcher;
  private final Places places;
  private final Observers observers;
  private final Newcomers newcomers;

  // Mutable state: what keeps others out, and whether it is the only one for somebody; and the
  // claim for which a queue is watched, as long as it is for one only
  private final ConcurrentHashMap<String, Boolean> watched = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Place> followers = new ConcurrentHashMap<>();

  Lookout(Zk zk, Watcher watcher, Places places, Observers observers, Ticker ticker) {
    this.zk = zk;
    this.watcher = watcher;
    this.places = places;
    this.observers = observers;
    this.newcomers = new Newcomers(ticker, this::stays);
  }

  /** Asks to be told when the node of a claim of ours changes or goes; fails if it is not there. */
  CompletableFuture<Zk.Content> guard(Place place) {
    return zk.watch(place.path, watcher, () -> place.watched = true);
  }

  /** The claim is let in: if it stays for a moment, its end is told from then on. */
  void hold(Place place) {
    newcomers.add(place);
  }

  private void stays(Place place) {
    // If that fails, the next renewal asks again.
    Zk.or(
        guard(place).thenApply(content -> true),
        Code.NONODE,
        () -> {
          observers.wake(place.key.lock()); // the renewal that follows finds out
          return CompletableFuture.completedFuture(false);
        });
  }

  /** The claim waits: watches what keeps it out, if somebody wants to be told. */
  void follow(Place place, Queue queue, int index) {
    String lock = place.key.lock();
    boolean told = watched.containsKey(place.container); // of whatever happens to the queue
    if (followers.get(place.container) != place) {
      followers.remove(place.container); // it is followed for more than one
    }
    if (observers.has(lock) && !told && watchBlockers(lock, queue, index)) {
      look(lock);
    }
  }

  /** The same for a claim that still has only this one ahead. */
  void follow(Place place, String onlyAhead) {
    String lock = place.key.lock();
    if (observers.has(lock)) {
      watchNode(lock, onlyAhead, true);
    }
  }

  /**
   * Looks at the queue of a claim that has one other ahead, and asks to be told in the same request
   * when the queue changes: most likely because its turn has come.
   */
  CompletableFuture<List<String>> lookAndFollow(Place place) {
    if (!observers.has(place.key.lock()) || watched.putIfAbsent(place.container, true) != null) {
      return zk.children(place.container, null);
    }
    followers.put(place.container, place);
    return zk.children(place.container, watcher)
        .whenComplete(
            (names, failure) -> {
              if (failure != null) {
                watched.remove(place.container);
                followers.remove(place.container);
              }
            });
  }

  /**
   * Whether nothing that keeps this claim out is watched: it has changed, or nobody wanted to know.
   */
  boolean isOver(Place place, String onlyAhead) {
    return !watched.containsKey(place.container) && !watched.containsKey(onlyAhead);
  }

  /** A node that was watched has changed or is gone. */
  void nodeChanged(String path) {
    Boolean alone = watched.remove(path);
    Place own = places.at(path);
    String lock = Names.lockOf(path);
    if (own != null) {
      own.watched = false; // the renewal that follows looks whether it is there
      observers.wake(lock);
    } else if (alone != null && alone) {
      observers.wake(lock);
    } else if (alone != null) {
      look(lock);
    }
  }

  /** Claims have come or gone, or all of the queue has. */
  void queueChanged(String container) {
    Boolean alone = watched.remove(container);
    Place follower = followers.remove(container);
    String lock = Names.lockOfContainer(container);
    if (alone != null && alone) {
      // Who was let in by the look that set the watch waits no more: another has come after it.
      if (follower == null || !follower.granted) {
        observers.wake(lock);
      }
    } else {
      look(lock);
    }
  }

  /** The watches are no more, and nobody was told. */
  void forget() {
    watched.clear();
    followers.clear();
    places.all().forEach(place -> place.watched = false);
  }

  /** What is watched now. */
  Set<String> watched() {
    Set<String> all = new HashSet<>(watched.keySet());
    places.all().stream().filter(place -> place.watched).forEach(place -> all.add(place.path));
    return all;
  }

  private void look(String lock) {
    if (observers.has(lock)) {
      zk.childrenIfAny(Names.container(lock))
          .whenComplete((names, failure) -> seen(lock, names, failure));
    }
  }

  private void seen(String lock, List<String> names, @Nullable Throwable failure) {
    if (failure != null) {
      observers.wake(lock); // whoever waits has to ask
      return;
    }
    Queue queue;
    try {
      queue = Queue.of(Names.container(lock), names);
    } catch (StoreException unreadable) {
      observers.wake(lock); // and is told so
      return;
    }
    boolean turn = false;
    boolean again = false;
    int admitted = queue.admitted();
    for (int i = 0; i < queue.nodes().size(); i++) {
      Place place = places.get(new Place.Key(lock, queue.nodes().get(i).id()));
      if (place != null && !place.granted && place.name().equals(queue.nodes().get(i).name())) {
        turn |= i < admitted;
        again |= i >= admitted && watchBlockers(lock, queue, i);
      }
    }
    if (turn) {
      observers.wake(lock);
    }
    if (again) {
      look(lock);
    }
  }

  /** Returns whether something is watched that was not before, so that a look has to follow. */
  private boolean watchBlockers(String lock, Queue queue, int index) {
    List<Node> blockers = queue.blockers(index);
    if (blockers.size() > MOST_BLOCKERS) {
      watchQueue(lock);
      return false; // the answer is a look
    }
    boolean alone = blockers.size() == 1;
    boolean fresh = false;
    for (Node node : blockers) {
      fresh |= watchNode(lock, Names.container(lock) + "/" + node.name(), alone);
    }
    // One that weighs one can only go, and the watch of what is gone tells so at once.
    return fresh && !(alone && blockers.get(0).weight() == 1);
  }

  private boolean watchNode(String lock, String path, boolean alone) {
    Boolean before = watched.putIfAbsent(path, alone);
    if (before != null) {
      watched.replace(path, false, alone);
      return false;
    }
    zk.read(path, watcher)
        .whenComplete(
            (content, failure) -> {
              if (failure != null) {
                watched.remove(path);
                observers.wake(lock); // it is gone already
              }
            });
    return true;
  }

  private void watchQueue(String lock) {
    String container = Names.container(lock);
    if (watched.putIfAbsent(container, false) == null) {
      zk.children(container, watcher)
          .whenComplete(
              (names, failure) -> {
                if (failure != null) {
                  watched.remove(container);
                }
                seen(lock, names, failure);
              });
    }
  }
}
