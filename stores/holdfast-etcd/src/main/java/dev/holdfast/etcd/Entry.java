package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import io.etcd.jetcd.api.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * A claim as etcd keeps it.
 *
 * @param key its seat
 * @param id the claim's
 * @param created the key's create revision: the claim's place in the queue, and its token
 * @param modified the revision of its last change
 * @param lease the lease that the key is on
 * @param left whether it only keeps the lock taken for a while, after its holder left
 * @param since when it joined, by the wall clock of its client; for people
 */
record Entry(
    ByteString key,
    String id,
    long created,
    long modified,
    long lease,
    Kind kind,
    int weight,
    int capacity,
    boolean left,
    long since,
    Owner owner,
    @Nullable String value) {

  private static final String FORMAT = "2";
  private static final int FIELDS = 8;

  static Entry of(KeyValue stored) {
    String[] lines = stored.getValue().toStringUtf8().split("\n", 2);
    String[] fields = lines[0].split(" ", FIELDS);
    if (!fields[0].equals(FORMAT) || fields.length != FIELDS) {
      throw unreadable(stored, "it has another format than " + FORMAT);
    }
    try {
      return read(stored, fields, lines.length == 1 ? null : lines[1]);
    } catch (IllegalArgumentException e) {
      throw unreadable(stored, "a part of it is damaged");
    }
  }

  static boolean isReadable(KeyValue stored) {
    try {
      of(stored);
      return true;
    } catch (UnreadableRecordException e) {
      return false;
    }
  }

  private static UnreadableRecordException unreadable(KeyValue stored, String why) {
    String key = stored.getKey().toStringUtf8().replace("\0", "\\0");
    return new UnreadableRecordException("", "key " + key, why);
  }

  /** Whether this is the record of that claim, which may be of another format otherwise. */
  static boolean isOf(Claim claim, KeyValue stored) {
    return stored.getValue().toStringUtf8().split("\n", 2)[0].endsWith(" " + claim.id());
  }

  private static Entry read(KeyValue stored, String[] fields, @Nullable String value) {
    return new Entry(
        stored.getKey(),
        fields[7],
        stored.getCreateRevision(),
        stored.getModRevision(),
        stored.getLease(),
        Kind.valueOf(fields[1]),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        fields[4].equals("left"),
        Long.parseLong(fields[5]),
        Owner.parse(fields[6]),
        value);
  }

  /** What is stored for a claim that joins now. */
  static ByteString record(Claim claim, long wallMicros) {
    return record(
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        false,
        wallMicros,
        claim.owner(),
        claim.id(),
        claim.value());
  }

  /** How the records of all claims begin that take as much of the same as this one. */
  static ByteString start(Claim claim) {
    return ByteString.copyFromUtf8(start(claim.kind(), claim.weight(), claim.capacity()));
  }

  private static String start(Kind kind, int weight, int capacity) {
    return FORMAT + " " + kind + " " + weight + " " + capacity + " ";
  }

  /** What is stored once it takes over a lower weight and a changed value. */
  ByteString record(Claim claim) {
    return record(
        kind,
        Math.min(weight, claim.weight()), // raising it could break into what others hold
        capacity,
        left,
        since,
        claim.owner(),
        id,
        claim.value());
  }

  /** What is stored once its holder left. */
  ByteString recordLeft() {
    return record(kind, weight, capacity, true, since, owner, id, value);
  }

  private static ByteString record(
      Kind kind,
      int weight,
      int capacity,
      boolean left,
      long since,
      Owner owner,
      String id,
      @Nullable String value) {
    String fields =
        start(kind, weight, capacity)
            + (left ? "left " : "claim ")
            + since
            + " "
            + owner.encode()
            + " "
            + id;
    return ByteString.copyFromUtf8(value == null ? fields : fields + "\n" + value);
  }

  boolean is(Claim claim) {
    return record(claim).equals(record(kind, weight, capacity, left, since, owner, id, value));
  }

  Seat seat() {
    return new Seat(key, created);
  }

  long token() {
    return Tokens.ofRevision(created);
  }

  /**
   * @return whether this is one of its tokens: its first, or, where one claim excludes all others,
   *     one that its client may have passed on
   */
  boolean has(long token) {
    boolean exclusive = kind.mode(weight) == Mode.EXCLUSIVE;
    long last = token() + (exclusive ? Tokens.SPARES_OF_REVISION : 0);
    return token() <= token && token <= last;
  }
}
