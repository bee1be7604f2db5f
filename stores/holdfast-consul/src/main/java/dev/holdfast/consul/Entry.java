package dev.holdfast.consul;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim as Consul keeps it.
 *
 * @param stored its key: the create index is its place in the queue, and its token
 * @param ttl that of the session which it is on
 * @param since when it joined, by the wall clock of its client; for people
 */
record Entry(
    Stored stored,
    Kind kind,
    int weight,
    int capacity,
    Duration ttl,
    long since,
    Owner owner,
    @Nullable String value) {

  private static final String FORMAT = "1";
  private static final int FIELDS = 7;

  static Entry of(Stored stored) {
    String[] lines = stored.value().split("\n", 2);
    String[] fields = lines[0].split(" ", -1);
    if (!fields[0].equals(FORMAT) || fields.length != FIELDS) {
      throw new StoreException(
          "",
          "a claim in Consul has format '"
              + fields[0]
              + "', this version of Holdfast reads "
              + FORMAT
              + " only: use the newest version everywhere");
    }
    return new Entry(
        stored,
        Kind.valueOf(fields[1]),
        Integer.parseInt(fields[2]),
        Integer.parseInt(fields[3]),
        Duration.ofSeconds(Long.parseLong(fields[4])),
        Long.parseLong(fields[5]),
        Owner.parse(fields[6]),
        lines.length == 1 ? null : lines[1]);
  }

  /** What is stored for a claim that joins now. */
  static String record(Claim claim, Duration ttl, long wallMicros) {
    return record(
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        ttl,
        wallMicros,
        claim.owner(),
        claim.value());
  }

  /** What is stored once it takes over a lower weight, a changed value and another ttl. */
  String record(Claim claim, Duration newTtl) {
    int lower = Math.min(weight, claim.weight()); // raising it could break into what others hold
    return record(kind, lower, capacity, newTtl, since, claim.owner(), claim.value());
  }

  private static String record(
      Kind kind,
      int weight,
      int capacity,
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

  /** Whether both can be in one queue. */
  boolean isUsedAs(Kind otherKind, int otherCapacity) {
    return kind == otherKind && capacity == otherCapacity;
  }
}
