package dev.holdfast.zookeeper;

import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a claim's node holds besides its name, as text that {@code zkCli get} shows: format, ttl in
 * milliseconds, owner, and the value if there is one, a line each.
 */
record ClaimRecord(Duration ttl, Owner owner, @Nullable String value) {

  private static final String FORMAT = "1";

  static ClaimRecord of(Claim claim) {
    return new ClaimRecord(claim.ttl(), claim.owner(), claim.value());
  }

  byte[] bytes() {
    String head = String.join("\n", FORMAT, Long.toString(ttl.toMillis()), owner.encode());
    return (value == null ? head : head + "\n" + value).getBytes(StandardCharsets.UTF_8);
  }

  static ClaimRecord parse(byte[] bytes) {
    String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", 4);
    if (!lines[0].equals(FORMAT) || lines.length < 3) {
      throw new StoreException(
          "", "a claim's node has format '" + lines[0] + "'; this Holdfast reads " + FORMAT);
    }
    return new ClaimRecord(
        Duration.ofMillis(Long.parseLong(lines[1])),
        Owner.parse(lines[2]),
        lines.length > 3 ? lines[3] : null);
  }
}
