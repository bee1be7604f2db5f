package dev.holdfast.consul;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim as Consul keeps it.
 *
 * @param stored its key: the create index is its place in the queue, and its token
 * @param waits whether it stays if it does not fit: if not, its client is about to take it out
 * @param ttl that of the session which it is on
 * @param since when it joined, by the wall clock of its client; for people
 */
record Entry(
    Stored stored,
    Kind kind,
    int weight,
    int capacity,
    boolean waits,
    Duration ttl,
    long since,
    Owner owner,
    @Nullable String value) {

  private static final String FORMAT = "1";
  private static final int FIELDS = 8;
  private static final String WAIT = "wait";
  private static final String TRY = "try";

  static Entry of(Stored stored) {
    String[] lines = stored.value().split("\n", 2);
    String[] fields = lines[0].split(" ", -1);
    if (!fields[0].equals(FORMAT) || fields.length != FIELDS) {
      throw unreadable(stored, "it has another format than " + FORMAT);
    }
    try {
      return read(stored, fields, lines.length == 1 ? null : lines[1]);
    } catch (IllegalArgumentException e) {
      throw unreadable(stored, "a part of it is damaged");
    }
  }

  static boolean isReadable(Stored stored) {
    try {
      of(stored);
      return true;
    } catch (UnreadableRecordException e) {
      return false;
    }
  }

  /** Without the claim's id, which is a secret. */
  private static UnreadableRecordException unreadable(Stored stored, String why) {
    String start = stored.key().substring(0, stored.key().lastIndexOf('@') + 1);
    return new UnreadableRecordException("", "key " + start + "…", why);
  }

  private static Entry read(Stored stored, String[] fields, @Nullable String value) {
    return new Entry(
        stored,
        Kind.valueOf(fields[1]),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        fields[4].equals(WAIT),
        Duration.ofSeconds(Long.parseLong(fields[5])),
        Long.parseLong(fields[6]),
        Owner.parse(fields[7]),
        value);
  }

  /** What is stored for a claim that joins now. */
  static String record(Claim claim, boolean waits, Duration ttl, long wallMicros) {
    return record(
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        waits,
        ttl,
        wallMicros,
        claim.owner(),
        claim.value());
  }

  /** What is stored once it takes over a lower weight, a changed value and another ttl. */
  String record(Claim claim, boolean nowWaits, Duration newTtl) {
    int lower = Math.min(weight, claim.weight()); // raising it could break into what others hold
    return record(kind, lower, capacity, nowWaits, newTtl, since, claim.owner(), claim.value());
  }

  private static String record(
      Kind kind,
      int weight,
      int capacity,
      boolean waits,
      Duration ttl,
      long since,
      Owner owner,
      @Nullable String value) {
    String fields =
        String.join(
            " ",
            FORMAT,
            kind.name(),
            Integer.toString(weight),
            Integer.toString(capacity),
            waits ? WAIT : TRY,
            Long.toString(ttl.toSeconds()),
            Long.toString(since),
            owner.encode());
    return value == null ? fields : fields + "\n" + value;
  }

  String key() {
    return stored.key();
  }

  long token() {
    return Tokens.ofRevision(stored.created());
  }

  /**
   * @return whether the claim got this token with its grant, or may have been given it since
   */
  boolean isNamedBy(long token) {
    boolean exclusive = kind.mode(weight) == Mode.EXCLUSIVE;
    return token >= token() && token <= token() + (exclusive ? Tokens.SPARES_OF_REVISION : 0);
  }

  /**
   * Whether its client has only just put it here, though it waits: then it is on the session of its
   * whole ttl, as if it were granted, and is about to be moved to a shorter one.
   */
  boolean isArriving() {
    return waits && ttl.compareTo(Claim.MAX_WAITING_TTL) > 0;
  }

  /** Whether both can be in one queue. */
  boolean isUsedAs(Kind otherKind, int otherCapacity) {
    return kind == otherKind && capacity == otherCapacity;
  }
}
