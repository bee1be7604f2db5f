package dev.holdfast.consul;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.State;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.RecordFormat;
import dev.holdfast.leased.StoredQueue;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A line of format, kind, weight, capacity, state, ttl, start and owner. The key ends with the id.
 * The state ends with a mark if the claim is keepable.
 */
final class ClaimFormat extends RecordFormat.Lines {

  static final ClaimFormat FORMAT = new ClaimFormat();

  private static final String VERSION = "2";
  private static final String BEFORE = "1"; // without keepable claims
  private static final String WAIT = "wait";
  private static final String KEEPABLE = "-keepable";

  private ClaimFormat() {
    super(VERSION, BEFORE, 8);
  }

  /**
   * @return these claims to one lock, in queue order; nothing among them has changed since the last
   *     index of theirs
   */
  static StoredQueue queue(Collection<StoredKey> stored) {
    long last = stored.stream().mapToLong(StoredKey::modified).max().orElse(0);
    return StoredQueue.of(stored, FORMAT, last, 0);
  }

  @Override
  protected ClaimRecord parse(StoredKey stored, String[] fields, @Nullable String value) {
    return new ClaimRecord(
        stored,
        stored.key().substring(stored.key().lastIndexOf('@') + 1),
        fields[4].startsWith(WAIT) ? State.WAITING : State.TRYING,
        Kind.valueOf(fields[1]),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        Duration.ofSeconds(Long.parseLong(fields[5])),
        Long.parseLong(fields[6]),
        Owner.parse(fields[7]),
        fields[4].endsWith(KEEPABLE),
        value);
  }

  /** Leaves out the claim's id, which is a secret. */
  @Override
  protected String shown(String key) {
    return key.substring(0, key.lastIndexOf('@') + 1) + "…";
  }

  @Override
  protected String line(ClaimRecord claim) {
    return start(claim.kind(), claim.weight(), claim.capacity())
        + rest(
            claim.state(), claim.keepable(), claim.ttl().toSeconds(), claim.since(), claim.owner());
  }

  /** The text of a claim that joins now. */
  static String joining(Claim claim, State state, long seconds, long wallMicros) {
    String line =
        start(claim.kind(), claim.weight(), claim.capacity())
            + rest(state, claim.keepable(), seconds, wallMicros, claim.owner());
    return claim.value() == null ? line : line + "\n" + claim.value();
  }

  private static String start(Kind kind, int weight, int capacity) {
    return VERSION + " " + kind + " " + weight + " " + capacity + " ";
  }

  private static String rest(State state, boolean keepable, long seconds, long since, Owner owner) {
    String waits = state == State.WAITING ? WAIT : "try";
    return waits + (keepable ? KEEPABLE : "") + " " + seconds + " " + since + " " + owner.encode();
  }
}
