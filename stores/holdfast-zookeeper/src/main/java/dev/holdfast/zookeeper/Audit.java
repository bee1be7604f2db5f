package dev.holdfast.zookeeper;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Compares the nodes of a session with the claims that are meant to be there. Deletes strangers:
 * what a lost answer or a failed leave has left behind. Ends claims without a node.
 *
 * <p><b>Threads.</b> Safe for any; one audit runs at a time.
 */
final class Audit {

  /** As long as the paths in one answer should be: ZooKeeper cuts the connection at a megabyte. */
  private static final long MOST = 256 * 1024;

  private static final System.Logger LOG = System.getLogger(Audit.class.getName());

  private final Session session;
  private final Consumer<Place> onMissing;

  // Mutable state
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile boolean failed; // perhaps because there are far more strangers than expected

  Audit(Session session, Consumer<Place> onMissing) {
    this.session = session;
    this.onMissing = onMissing;
  }

  void run() {
    if (!running.compareAndSet(false, true)) {
      return;
    }
    List<Place> there =
        session.places().all().stream().filter(place -> place.is(Place.State.THERE)).toList();
    // The write comes first: whatever an earlier connection has sent is decided before it.
    List<CompletableFuture<?>> answers = new ArrayList<>(List.of(session.renew()));
    Set<String> found = new HashSet<>();
    for (String start : starts(there)) {
      answers.add(session.zk().ephemerals(start).thenAccept(found::addAll));
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .whenComplete(
            (all, failure) -> {
              failed = failure != null;
              running.set(false);
              if (failure == null) {
                compare(there, found);
              }
            });
  }

  /** How paths start; the answers for each of these have room for as much again. */
  private List<String> starts(List<Place> there) {
    long expected = there.stream().mapToLong(place -> place.path.length()).sum();
    if (failed || expected > Names.DIGITS * MOST) {
      return Names.buckets();
    }
    return expected > MOST ? Names.bucketsByDigit() : List.of(Names.LOCKS);
  }

  private void compare(List<Place> there, Set<String> found) {
    Set<String> paths = new HashSet<>();
    for (String path : found) {
      // ZooKeeper tells them from its own root, we speak from the chroot.
      String ours = path.substring(path.lastIndexOf(Names.LOCKS + "/"));
      paths.add(ours);
      if (isStranger(ours)) {
        LOG.log(
            System.Logger.Level.DEBUG,
            "Deleting a node of ''{0}'' that a lost answer left behind",
            Names.lockOf(ours));
        session.zk().delete(ours);
      }
    }
    for (Place place : there) {
      if (!paths.contains(place.path) && place.is(Place.State.THERE)) {
        onMissing.accept(place);
      }
    }
  }

  /** Whether no claim stands on the node, nor may turn out to. */
  private boolean isStranger(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    Place place = session.places().get(new Place.Key(Names.lockOf(path), Node.idOf(name)));
    if (place == null) {
      return true;
    }
    return !Node.isLowering(name) && place.is(Place.State.THERE) && !place.path.equals(path);
  }
}
