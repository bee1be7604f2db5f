package dev.holdfast.zookeeper;

import dev.holdfast.spi.support.PrintableText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares the nodes of a session with the claims that are meant to be there. Deletes strangers:
 * what a lost answer or a failed leave has left behind. Ends claims without a node.
 *
 * <p>ZooKeeper asks and answers this from its own root, whatever the chroot of the client. That
 * chroot is what the session's own node has in front of it in the answer; where that node is
 * missing, the question was wrong, and nothing follows from the answer.
 *
 * <p><b>Threads.</b> Safe for any; one audit runs at a time.
 */
final class Audit {

  // As long as the paths in one answer should be, with room for more of strangers: ZooKeeper cuts
  // the connection at a megabyte.
  private static final long MOST = 400_000;

  private static final long AROUND_PATH = 4; // its length is sent along
  private static final int NODE_NAME = 120; // about; of one that is not known yet

  private static final System.Logger LOG = System.getLogger(Audit.class.getName());

  private final Session session;
  private final Consumer<Place> onMissing;

  // Mutable state
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile @Nullable String chroot;
  private volatile boolean surprised; // the last answers were longer than expected, or did not come

  /**
   * Nothing is asked yet.
   *
   * @param chroot of the client; null if it must be found out
   */
  Audit(Session session, @Nullable String chroot, Consumer<Place> onMissing) {
    this.session = session;
    this.chroot = chroot;
    this.onMissing = onMissing;
  }

  void run() {
    if (!running.compareAndSet(false, true)) {
      return;
    }
    Collection<Place> all = session.places().all();
    List<Place> there = all.stream().filter(place -> place.is(Place.State.THERE)).toList();
    // The write comes first: whatever an earlier connection has sent is decided before it.
    List<CompletableFuture<?>> answers = new ArrayList<>(List.of(session.renew()));
    Set<String> found = new HashSet<>();
    for (String start : starts(all)) {
      answers.add(session.zk().ephemerals(start).thenAccept(found::addAll));
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, failure) -> {
              running.set(false);
              surprised = failure != null || length(found) > MOST + 2 * expected(all, Names.LOCKS);
              if (failure == null) {
                compare(there, found);
              }
            });
  }

  /** How the paths start that are asked for together: as few as keep the answers short. */
  private List<String> starts(Collection<Place> all) {
    String root = chroot;
    boolean few = !surprised && expected(all, Names.LOCKS) <= MOST;
    if (root == null && few) {
      return List.of("/"); // everything, and with it the chroot
    }
    List<String> starts = new ArrayList<>(List.of(Names.client(session.id())));
    if (few) {
      starts.add(Names.LOCKS);
    } else if (!surprised && byDigit(all)) {
      starts.addAll(Names.bucketsByDigit());
    } else {
      starts.addAll(Names.buckets());
    }
    return starts.stream().map(start -> (root == null ? "" : root) + start).toList();
  }

  private boolean byDigit(Collection<Place> all) {
    return Names.bucketsByDigit().stream().allMatch(start -> expected(all, start) <= MOST);
  }

  /** How long an answer will be that tells all paths that start so. */
  private long expected(Collection<Place> all, String start) {
    String root = chroot;
    long around = AROUND_PATH + (root == null ? 0 : root.length());
    return all.stream()
        .filter(place -> place.container.startsWith(start))
        .mapToLong(place -> (1 + place.lowered().size()) * (around + length(place)))
        .sum();
  }

  private static int length(Place place) {
    return place.path.isEmpty() ? place.container.length() + NODE_NAME : place.path.length();
  }

  private static long length(Set<String> paths) {
    return paths.stream().mapToLong(path -> path.length() + AROUND_PATH).sum();
  }

  private void compare(List<Place> there, Set<String> found) {
    String own = Names.client(session.id());
    for (String path : found) {
      if (path.endsWith(own)) {
        String root = path.substring(0, path.length() - own.length());
        chroot = root;
        compare(there, found, root);
        return;
      }
    }
  }

  private void compare(List<Place> there, Set<String> found, String root) {
    for (String path : found) {
      String ours = path.startsWith(root) ? path.substring(root.length()) : "";
      if (Names.isClaim(ours) && isStranger(ours)) {
        LOG.log(
            System.Logger.Level.DEBUG,
            "Deleting a node of {0} that a lost answer left behind",
            PrintableText.quote(Names.lockOf(ours)));
        session.zk().delete(ours);
      }
    }
    for (Place place : there) {
      if (!found.contains(root + place.path) && place.is(Place.State.THERE)) {
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
