package dev.holdfast.zookeeper;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.util.Locale;

/**
 * A claim, as the name of its node tells it: {@code
 * <session>-<claim>-<kind>.<weight>.<capacity>.<wait|try>-<sequence>}. A claim whose weight was
 * lowered has a second node, {@code <session>-<claim>-lowered.<weight>}: names cannot change.
 *
 * @param name of the node, without its folder
 * @param owner session and claim: what its nodes have in common
 * @param id of the claim
 * @param weight as it is now
 * @param trying whether it leaves at once if it is not let in
 * @param sequence its place; it wraps, so two are compared by their difference
 */
record Node(
    String name,
    String owner,
    String id,
    Kind kind,
    int weight,
    int capacity,
    boolean trying,
    int sequence) {

  private static final String LOWERED = "lowered.";

  /** The name to create a claim's node with; the server appends the sequence. */
  static String prefix(long session, Claim claim, boolean wait) {
    return owner(session, claim.id())
        + "-"
        + claim.kind().name().toLowerCase(Locale.ROOT)
        + "."
        + claim.weight()
        + "."
        + claim.capacity()
        + (wait ? ".wait-" : ".try-");
  }

  /** The name of the node that lowers a claim's weight. */
  static String lowered(long session, String id, int weight) {
    return owner(session, id) + "-" + LOWERED + weight;
  }

  static String owner(long session, String id) {
    return Long.toHexString(session) + "-" + Names.encode(id);
  }

  static boolean isLowering(String name) {
    return parts(name)[2].startsWith(LOWERED);
  }

  static int loweredTo(String name) {
    return Integer.parseInt(parts(name)[2].substring(LOWERED.length()));
  }

  static String ownerOf(String name) {
    String[] parts = parts(name);
    return parts[0] + "-" + parts[1];
  }

  static String idOf(String name) {
    return Names.decode(parts(name)[1]);
  }

  static Node parse(String name) {
    try {
      String[] parts = parts(name);
      String[] rule = parts[2].split("\\.", -1);
      return new Node(
          name,
          parts[0] + "-" + parts[1],
          Names.decode(parts[1]),
          Kind.valueOf(rule[0].toUpperCase(Locale.ROOT)),
          Integer.parseInt(rule[1]),
          Integer.parseInt(rule[2]),
          rule[3].equals("try"),
          Integer.parseInt(parts[3]));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw unreadable();
    }
  }

  Node weighing(int lower) {
    return new Node(name, owner, id, kind, Math.min(weight, lower), capacity, trying, sequence);
  }

  /** Whether both use the lock as the same thing. */
  boolean agrees(Node other) {
    return kind == other.kind && capacity == other.capacity;
  }

  /**
   * @param revision the transaction that created this node
   * @return whether the claim got this token with its grant, or may have been given it since
   */
  boolean isNamedBy(long token, long revision) {
    long first = Tokens.ofRevision(revision);
    boolean exclusive = kind.mode(weight) == Mode.EXCLUSIVE;
    return token >= first && token <= first + (exclusive ? Tokens.SPARES_OF_REVISION : 0);
  }

  private static String[] parts(String name) {
    String[] parts = name.split("-", 4);
    if (parts.length < 3) {
      throw unreadable();
    }
    return parts;
  }

  /** Whether the name is that of a claim's node. */
  static boolean isReadable(String name) {
    try {
      if (isLowering(name)) {
        loweredTo(name);
      } else {
        parse(name);
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Where a node is, without the claim's id, which is a secret. */
  static String place(String container, String name) {
    return container + "/…" + name.substring(name.lastIndexOf('-') + 1);
  }

  // Another program's node, or a newer Holdfast's: to ignore it might let two in.
  private static IllegalArgumentException unreadable() {
    return new IllegalArgumentException("not the name of a claim's node");
  }
}
