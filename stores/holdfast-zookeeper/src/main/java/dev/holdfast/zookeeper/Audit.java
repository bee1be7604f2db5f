package dev.holdfast.zookeeper;

import dev.holdfast.PrintableText;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import dev.holdfast.zookeeper.ClaimRegistry.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Compares the nodes of a session with its registered claims. Deletes nodes without a claim, which
 * a lost answer or a failed leave left behind. Ends claims without a node.
 *
 * <p>ZooKeeper lists ephemeral nodes by absolute path, ignoring the client's chroot. The chroot is
 * the prefix of the session's own node in the reply; if that node is missing, the listing proves
 * nothing.
 *
 * <p>Thread-safe; one audit runs at a time.
 */
final class Audit {

  // The length of paths to expect in one answer. Unknown nodes need room too: ZooKeeper cuts the
  // connection at a megabyte.
  private static final long MAX_LENGTH = 400_000;

  private static final int NODE_NAME = 120; // an estimate

  private static final System.Logger LOG = System.getLogger(Audit.class.getName());

  private final Session session;
  private final Consumer<OwnClaim> onMissing;

  // Mutable state
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile @Nullable String chroot;
  private volatile boolean careful; // the last answers were longer than expected, or missing

  /**
   * @param chroot of the client; null if unknown: the first answer shows it
   */
  Audit(Session session, @Nullable String chroot, Consumer<OwnClaim> onMissing) {
    this.session = session;
    this.chroot = chroot;
    this.onMissing = onMissing;
  }

  void run() {
    if (!running.compareAndSet(false, true)) {
      return;
    }
    Collection<OwnClaim> all = session.claims.all();
    List<OwnClaim> stored = all.stream().filter(own -> own.is(State.STORED)).toList();
    long expected = expectedLength(all);
    // The write comes first: requests of earlier connections are decided before it.
    CompletableFuture<Stat> written = session.zk.commit();
    AllAnswers.of(starts(expected).stream().map(session.zk::ephemerals).toList())
        .thenCombine(written, (lists, stat) -> lists)
        .whenComplete(
            (lists, failure) -> {
              running.set(false);
              careful = failure != null;
              if (failure == null) {
                Set<String> found = new HashSet<>();
                lists.forEach(found::addAll);
                careful =
                    found.stream().mapToLong(String::length).sum() > MAX_LENGTH + 2 * expected;
                compare(stored, found);
              }
            });
  }

  /** {@return the starts of the paths to list: as few as keep the answers short} */
  private List<String> starts(long expected) {
    String root = chroot;
    if (root == null && !careful && expected <= MAX_LENGTH) {
      return List.of("/"); // all paths; they show the chroot
    }
    List<String> starts = new ArrayList<>(List.of(NodePaths.client(session.id())));
    if (careful || expected > NodePaths.DIGITS * MAX_LENGTH) {
      starts.addAll(NodePaths.buckets());
    } else if (expected > MAX_LENGTH) {
      starts.addAll(NodePaths.bucketsByDigit());
    } else {
      starts.add(NodePaths.LOCKS);
    }
    return starts.stream().map(start -> (root == null ? "" : root) + start).toList();
  }

  /** {@return the expected length of all paths in an answer} */
  private long expectedLength(Collection<OwnClaim> all) {
    String root = chroot;
    long above = root == null ? 0 : root.length();
    return all.stream()
        .mapToLong(own -> (1 + own.lowered().size()) * (above + own.container.length() + NODE_NAME))
        .sum();
  }

  private void compare(List<OwnClaim> stored, Set<String> found) {
    String own = NodePaths.client(session.id());
    for (String path : found) {
      if (path.endsWith(own)) {
        String root = path.substring(0, path.length() - own.length());
        chroot = root;
        compare(stored, found, root);
        return;
      }
    }
  }

  private void compare(List<OwnClaim> stored, Set<String> found, String root) {
    for (String path : found) {
      String ours = path.startsWith(root) ? path.substring(root.length()) : "";
      if (NodePaths.isClaim(ours) && isStranger(ours)) {
        LOG.log(
            System.Logger.Level.DEBUG,
            "Deleting a node of {0} that a lost answer left behind",
            PrintableText.quote(NodePaths.lockOf(ours)));
        session.zk.delete(ours);
      }
    }
    for (OwnClaim own : stored) {
      if (!found.contains(root + own.path) && own.is(State.STORED)) {
        onMissing.accept(own);
      }
    }
  }

  /** {@return true if no claim owns the node or may turn out to own it} */
  private boolean isStranger(String path) {
    OwnClaim own = session.claims.get(path);
    return own == null
        || (own.is(State.STORED)
            && !own.path.equals(path)
            && !ClaimNode.isFurther(NodePaths.name(path)));
  }
}
