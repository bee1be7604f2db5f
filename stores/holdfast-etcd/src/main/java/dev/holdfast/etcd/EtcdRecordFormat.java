package dev.holdfast.etcd;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.leased.ClaimRecord;
import dev.holdfast.leased.ClaimRecord.State;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.RecordFormat;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A line of format, kind, weight, capacity, state, start, owner and id; then the value. */
final class EtcdRecordFormat extends RecordFormat.Lines {

  private static final String VERSION = "3";
  private static final String BEFORE = "2"; // without keepable claims
  private static final String CLAIM = "claim";
  private static final String KEEPABLE = "keepable";
  private static final String LEFT = "left";

  EtcdRecordFormat() {
    super(VERSION, BEFORE, 8);
  }

  @Override
  protected ClaimRecord parse(StoredKey stored, String[] fields, @Nullable String value) {
    return new ClaimRecord(
        stored,
        fields[7],
        fields[4].equals(LEFT) ? State.LEFT : State.WAITING,
        Kind.valueOf(fields[1]),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        Duration.ZERO,
        Long.parseLong(fields[5]),
        Owner.parse(fields[6]),
        fields[4].equals(KEEPABLE),
        value);
  }

  @Override
  protected String line(ClaimRecord claim) {
    String start = start(claim.kind(), claim.weight(), claim.capacity());
    return start
        + (claim.hasLeft() ? LEFT : state(claim.keepable()))
        + rest(claim.since(), claim.owner(), claim.id());
  }

  /** The text of a claim that joins now. */
  String joining(Claim claim, long wallMicros) {
    String start = start(claim.kind(), claim.weight(), claim.capacity());
    String line = start + state(claim.keepable()) + rest(wallMicros, claim.owner(), claim.id());
    return claim.value() == null ? line : line + "\n" + claim.value();
  }

  /** How the texts start of all claims that take as much of a lock of the same kind. */
  static String start(Claim claim) {
    return start(claim.kind(), claim.weight(), claim.capacity());
  }

  private static String start(Kind kind, int weight, int capacity) {
    return VERSION + " " + kind + " " + weight + " " + capacity + " ";
  }

  private static String state(boolean keepable) {
    return keepable ? KEEPABLE : CLAIM;
  }

  private static String rest(long since, Owner owner, String id) {
    return " " + since + " " + owner.encode() + " " + id;
  }

  /**
   * @return true if this is the record of that claim, even if it is of another format otherwise
   */
  static boolean isOf(Claim claim, StoredKey stored) {
    return stored.text().split("\n", 2)[0].endsWith(" " + claim.id());
  }
}
