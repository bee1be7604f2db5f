package dev.holdfast.zookeeper;

import dev.holdfast.Owner;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The data of a claim's node, as text that {@code zkCli get} shows: format, ttl in milliseconds,
 * owner, and the value if there is one, one per line.
 */
record ClaimRecord(Duration ttl, Owner owner, @Nullable String value) {

  private static final String FORMAT = "1";

  static byte[] bytes(Claim claim) {
    String head =
        String.join("\n", FORMAT, Long.toString(claim.ttl().toMillis()), claim.owner().encode());
    String value = claim.value();
    return (value == null ? head : head + "\n" + value).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads what {@link #bytes} wrote.
   *
   * @param container the lock's container and {@code name} the node in it, for the message
   * @throws UnreadableRecordException if the format is unknown or the data is damaged
   */
  static ClaimRecord parse(String container, String name, byte[] bytes) {
    String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", 4);
    if (!lines[0].equals(FORMAT) || lines.length < 3) {
      throw unreadable(container, name, "its format is not " + FORMAT);
    }
    try {
      return new ClaimRecord(
          Duration.ofMillis(Long.parseLong(lines[1])),
          Owner.parse(lines[2]),
          lines.length > 3 ? lines[3] : null);
    } catch (IllegalArgumentException e) {
      throw unreadable(container, name, "a part of it is damaged");
    }
  }

  static boolean isReadable(byte[] bytes) {
    try {
      parse("", "", bytes);
      return true;
    } catch (UnreadableRecordException e) {
      return false;
    }
  }

  private static UnreadableRecordException unreadable(String container, String name, String why) {
    return new UnreadableRecordException(
        NodePaths.lockOfContainer(container), "node " + ClaimNode.printable(container, name), why);
  }
}
