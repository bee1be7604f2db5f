package dev.holdfast.zookeeper;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Admission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The claims of one lock in their order, as one look at its children tells. Immutable.
 *
 * <p>A claim that uses the lock as something else than the first one finds that out itself and
 * leaves. Until then it blocks those behind it: on another server it may have been seen as the
 * first, and let in.
 *
 * @param nodes in queue order
 */
record Queue(List<Node> nodes) {

  /**
   * What one look at a lock's folder tells.
   *
   * @throws UnreadableRecordException if something is there that is not a claim
   */
  static Queue of(String container, Collection<String> children) {
    for (String child : children) {
      if (!Node.isReadable(child)) {
        throw new UnreadableRecordException(
            Names.lockOfContainer(container),
            "node " + Node.place(container, child),
            "its name is not that of a claim");
      }
    }
    return of(children);
  }

  /** The same, of names that can be read. */
  static Queue of(Collection<String> children) {
    Map<String, Integer> lowered = new HashMap<>();
    List<Node> nodes = new ArrayList<>(children.size());
    for (String child : children) {
      if (Node.isLowering(child)) {
        lowered.merge(Node.ownerOf(child), Node.loweredTo(child), Math::min);
      } else {
        nodes.add(Node.parse(child));
      }
    }
    nodes.replaceAll(node -> node.weighing(lowered.getOrDefault(node.owner(), node.weight())));
    if (!nodes.isEmpty()) {
      // By difference, which the wrap of the counter does not disturb.
      int base = nodes.get(0).sequence();
      nodes.sort(Comparator.comparingInt(node -> node.sequence() - base));
    }
    return new Queue(List.copyOf(nodes));
  }

  /** How many are ahead of the claim; -1 if it is not there. */
  int indexOf(String name) {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** The nodes of that session and id: one, unless answers were lost. */
  List<Node> find(String owner) {
    return nodes.stream().filter(node -> node.owner().equals(owner)).toList();
  }

  /** The nodes of that id, whatever their session. */
  List<Node> findId(String id) {
    return nodes.stream().filter(node -> node.id().equals(id)).toList();
  }

  boolean isAdmitted(int index) {
    return index < admitted();
  }

  /** How many at the head are let in: who is not lets nobody pass. */
  int admitted() {
    int count = 0;
    long ahead = 0;
    for (Node node : nodes) {
      if (!node.agrees(nodes.get(0)) || !Admission.fits(ahead, node.weight(), node.capacity())) {
        return count;
      }
      ahead += node.weight();
      count++;
    }
    return count;
  }

  /**
   * Some claims ahead of this one that keep it out for as long as all of them stay as they are: it
   * is enough to watch these. The nearest, so that a leave wakes few; the heavy rather than the
   * many.
   */
  List<Node> blockers(int index) {
    Node claim = nodes.get(index);
    long room = (long) claim.capacity() - claim.weight();
    List<Node> chosen = new ArrayList<>();
    long sum = 0;
    for (int i = index - 1; i >= 0 && sum <= room; i--) {
      Node node = nodes.get(i);
      if (!node.agrees(claim)) {
        return List.of(node);
      }
      chosen.add(node);
      sum += node.weight();
    }
    List<Node> needed = new ArrayList<>();
    for (Node node : chosen) {
      if (sum - node.weight() > room) {
        sum -= node.weight();
      } else {
        needed.add(node);
      }
    }
    return needed;
  }
}
