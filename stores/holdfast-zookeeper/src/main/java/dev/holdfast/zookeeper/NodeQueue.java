package dev.holdfast.zookeeper;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Admission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The claims of one lock in queue order, from one listing of its children. Immutable.
 *
 * <p>A claim whose kind or capacity differs from the first one's detects that itself and leaves.
 * Until then it blocks the claims behind it: another server may have shown it as the first, so it
 * may hold a grant.
 *
 * @param nodes in queue order
 */
record NodeQueue(List<ClaimNode> nodes) {

  /**
   * Sorts a lock's children into a queue.
   *
   * @param container the lock's container node
   * @throws UnreadableRecordException if one of the children is not a claim
   */
  static NodeQueue of(String container, Collection<String> children) {
    Map<String, Integer> lowered = new HashMap<>();
    Set<String> keepable = new HashSet<>();
    List<ClaimNode> nodes = new ArrayList<>(children.size());
    for (String child : children) {
      try {
        if (ClaimNode.isLowering(child)) {
          lowered.merge(ClaimNode.ownerOf(child), ClaimNode.loweredTo(child), Math::min);
        } else if (ClaimNode.isKeepable(child)) {
          keepable.add(ClaimNode.ownerOf(child));
        } else {
          nodes.add(ClaimNode.parse(child));
        }
      } catch (IllegalArgumentException e) {
        throw new UnreadableRecordException(
            NodePaths.lockOfContainer(container),
            "node " + ClaimNode.printable(container, child),
            "its name is not that of a claim");
      }
    }
    if (!lowered.isEmpty() || !keepable.isEmpty()) {
      nodes.replaceAll(
          node ->
              node.with(
                  lowered.getOrDefault(node.owner(), node.weight()),
                  keepable.contains(node.owner())));
    }
    if (!nodes.isEmpty()) {
      // Compared by difference: the counter may wrap.
      int base = nodes.get(0).sequence();
      nodes.sort(Comparator.comparingInt(node -> node.sequence() - base));
    }
    return new NodeQueue(List.copyOf(nodes));
  }

  /** {@return the number of claims ahead of this one, or -1 if it is not in the queue} */
  int indexOf(String name) {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** {@return the nodes of that session and claim id: one, unless answers were lost} */
  List<ClaimNode> ownedBy(String owner) {
    return nodes.stream().filter(node -> node.owner().equals(owner)).toList();
  }

  /** {@return the nodes of that claim id in any session} */
  List<ClaimNode> withId(String id) {
    return nodes.stream().filter(node -> node.id().equals(id)).toList();
  }

  boolean isGranted(int index) {
    return index < granted();
  }

  /** {@return the number of granted claims, all at the head: no claim overtakes a waiting one} */
  int granted() {
    return Admission.admitted(nodes);
  }

  /** {@return true if a claim waits} */
  boolean isWaitedFor() {
    return nodes.size() > granted();
  }

  /** {@return true if this claim waits behind a single one, which is keepable} */
  boolean isBehindKeepable(int index) {
    return index == 1 && nodes.get(0).keepable();
  }

  List<ClaimNode> holders() {
    return nodes.subList(0, granted());
  }

  /** {@return the claims to watch for a waiter} */
  List<ClaimNode> blockers(int index) {
    return Admission.blockers(nodes.subList(0, index), nodes.get(index));
  }
}
