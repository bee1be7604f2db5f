package dev.holdfast.zookeeper;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.util.Locale;

/**
 * A claim as its node's name describes it: {@code
 * <session>-<claim>-<kind>.<weight>.<capacity>.<wait|try>-<sequence>}. Names cannot change, so a
 * claim has further nodes for what can: {@code <session>-<claim>-lowered.<weight>} once its weight
 * was lowered, and {@code <session>-<claim>-keepable} while it is keepable.
 *
 * @param name of the node, without its container
 * @param owner session and claim id, which all nodes of a claim share
 * @param id of the claim
 * @param weight after any lowering
 * @param trying true if it leaves at once unless it is granted
 * @param sequence its position; the counter wraps, so compare by difference
 * @param keepable true if its client may keep it idle once it is granted
 */
record ClaimNode(
    String name,
    String owner,
    String id,
    Kind kind,
    int weight,
    int capacity,
    boolean trying,
    int sequence,
    boolean keepable)
    implements Admission.Weighed {

  private static final String LOWERED = "lowered.";
  private static final String KEEPABLE = "keepable";

  /** {@return the name to create a claim's node with; the server appends the sequence} */
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

  /** {@return the name of the node that lowers a claim's weight} */
  static String lowered(long session, String id, int weight) {
    return owner(session, id) + "-" + LOWERED + weight;
  }

  /** {@return the name of the node that marks a claim as keepable} */
  static String keepable(long session, String id) {
    return owner(session, id) + "-" + KEEPABLE;
  }

  static String owner(long session, String id) {
    return Long.toHexString(session) + "-" + NodePaths.encode(id);
  }

  static boolean isLowering(String name) {
    return parts(name)[2].startsWith(LOWERED);
  }

  static boolean isKeepable(String name) {
    return parts(name)[2].equals(KEEPABLE);
  }

  /** {@return true if this is a further node of a claim} */
  static boolean isFurther(String name) {
    return isLowering(name) || isKeepable(name);
  }

  static int loweredTo(String name) {
    return Integer.parseInt(parts(name)[2].substring(LOWERED.length()));
  }

  static String ownerOf(String name) {
    String[] parts = parts(name);
    return parts[0] + "-" + parts[1];
  }

  static String idOf(String name) {
    return NodePaths.decode(parts(name)[1]);
  }

  static ClaimNode parse(String name) {
    try {
      String[] parts = parts(name);
      String[] rule = parts[2].split("\\.", -1);
      return new ClaimNode(
          name,
          parts[0] + "-" + parts[1],
          NodePaths.decode(parts[1]),
          Kind.valueOf(rule[0].toUpperCase(Locale.ROOT)),
          Integer.parseInt(rule[1]),
          Integer.parseInt(rule[2]),
          rule[3].equals("try"),
          Integer.parseInt(parts[3]),
          false);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw unreadable();
    }
  }

  /** {@return the claim as its further nodes describe it} */
  ClaimNode with(int lower, boolean nowKeepable) {
    return new ClaimNode(
        name, owner, id, kind, Math.min(weight, lower), capacity, trying, sequence, nowKeepable);
  }

  /**
   * @param revision the transaction that created this node
   * @return true if this is the claim's token, or a spare one that its client may have used
   */
  boolean hasToken(long token, long revision) {
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

  /** {@return true if this is the name of a claim's node} */
  static boolean isReadable(String name) {
    try {
      if (isLowering(name)) {
        loweredTo(name);
      } else if (!isKeepable(name)) {
        parse(name);
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** {@return the path of a node for messages, without the claim's id, which is a secret} */
  static String printable(String container, String name) {
    return container + "/…" + name.substring(name.lastIndexOf('-') + 1);
  }

  // Another program's node, or one of a newer Holdfast: ignoring it could admit two holders.
  private static IllegalArgumentException unreadable() {
    return new IllegalArgumentException("not the name of a claim's node");
  }
}
