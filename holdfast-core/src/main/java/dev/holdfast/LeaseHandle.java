package dev.holdfast;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A detached lease on its way to another process. It can release the lock: keep it like a password.
 * It excludes nobody by itself; the claim in the store does, until its ttl ends. Attach it once:
 * two that resume the same lease do not exclude each other.
 */
public final class LeaseHandle {

  private static final String FORMAT = "hf2";
  private static final String NO_LIMIT = "-";
  private static final Pattern SEPARATOR = Pattern.compile("\\.");
  private static final Pattern CLAIM_ID = Pattern.compile("[0-9a-f]{32}");
  private static final Duration LONGEST = Duration.ofDays(3650);

  private final String lock;
  private final String claimId;
  private final long token;
  private final Duration ttl;
  private final Owner owner;
  private final Duration minHold;
  private final @Nullable Duration maxHold;
  private final long detachedAt;

  /**
   * For the engine.
   *
   * @param minHold how long the lock is to stay taken from the moment it was detached
   * @param maxHold how long it may be held from that moment; null without limit
   * @param detachedAt that moment, in milliseconds since 1970
   * @throws IllegalArgumentException if a part is none that the engine makes; the message does not
   *     repeat the claim id
   */
  public LeaseHandle(
      String lock,
      String claimId,
      long token,
      Duration ttl,
      Owner owner,
      Duration minHold,
      @Nullable Duration maxHold,
      long detachedAt) {
    if (!CLAIM_ID.matcher(claimId).matches()) {
      throw new IllegalArgumentException("the claim id is none that Holdfast makes");
    }
    if (detachedAt < 0) {
      throw new IllegalArgumentException("detachedAt (" + detachedAt + ") must not be negative");
    }
    this.minHold = checked("minHold", minHold, 0);
    this.maxHold = maxHold == null ? null : checked("maxHold", maxHold, 1);
    this.detachedAt = detachedAt;
    this.lock = LockName.check(lock);
    this.claimId = claimId;
    this.token = Proof.checkToken(token);
    this.ttl = checked("ttl", ttl, 1);
    this.owner = owner;
  }

  private static Duration checked(String what, Duration time, int leastMillis) {
    if (time.compareTo(Duration.ofMillis(leastMillis)) < 0 || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what + " (" + time + ") must be between " + leastMillis + " ms and " + LONGEST);
    }
    return time;
  }

  /**
   * Reads what {@link #secret} wrote.
   *
   * @throws IllegalArgumentException if it is not a handle; the message does not repeat the text
   */
  public static LeaseHandle parse(String text) {
    String[] parts = SEPARATOR.split(text, -1);
    if (parts.length != 9 || !parts[0].equals(FORMAT)) {
      throw new IllegalArgumentException(
          "not a lease handle; expected the text that was printed when the lock was acquired");
    }
    LeaseHandle handle;
    try {
      handle =
          new LeaseHandle(
              unescape(parts[1]),
              unescape(parts[2]),
              Long.parseLong(parts[3]),
              Duration.ofMillis(Long.parseLong(parts[4])),
              Owner.parse(unescape(parts[5])),
              Duration.ofMillis(Long.parseLong(parts[6])),
              parts[7].equals(NO_LIMIT) ? null : Duration.ofMillis(Long.parseLong(parts[7])),
              Long.parseLong(parts[8]));
    } catch (IllegalArgumentException e) {
      throw damaged();
    }
    if (!handle.secret().equals(text)) { // a second spelling, such as a token with a plus sign
      throw damaged();
    }
    return handle;
  }

  // Without a cause: it would repeat parts of the text, the secret among them.
  private static IllegalArgumentException damaged() {
    return new IllegalArgumentException(
        "damaged lease handle: one of its parts is none that Holdfast writes");
  }

  /** The handle as text. It is a secret. */
  public String secret() {
    return String.join(
        ".",
        FORMAT,
        escape(lock),
        escape(claimId),
        Long.toString(token),
        Long.toString(ttl.toMillis()),
        escape(owner.encode()),
        Long.toString(minHold.toMillis()),
        maxHold == null ? NO_LIMIT : Long.toString(maxHold.toMillis()),
        Long.toString(detachedAt));
  }

  /** The lock's name. */
  public String lockName() {
    return lock;
  }

  /** The secret id of the claim. */
  public String claimId() {
    return claimId;
  }

  /** The token of the lease. */
  public long token() {
    return token;
  }

  /** The ttl of the claim. */
  public Duration ttl() {
    return ttl;
  }

  /**
   * How the lease is to be held from now on. The clocks of two machines differ, and the claim has
   * lived no longer than its ttl since it was detached: so what has passed of the maxHold is taken
   * from the wall clock, but at least as nothing and at most as the ttl; nothing is taken off the
   * minHold.
   *
   * @param wallMillis now, in milliseconds since 1970
   */
  public LockOptions options(long wallMillis) {
    LockOptions options = LockOptions.defaults().ttl(ttl).minHold(minHold);
    if (maxHold == null) {
      return options;
    }
    Duration passed = Duration.ofMillis(Math.max(0, wallMillis - detachedAt));
    Duration left = maxHold.minus(passed.compareTo(ttl) < 0 ? passed : ttl);
    return options.maxHold(left.toMillis() > 0 ? left : Duration.ofMillis(1));
  }

  /** {@return the client and thread that acquired it} */
  public Owner owner() {
    return owner;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeaseHandle h && claimId.equals(h.claimId) && lock.equals(h.lock);
  }

  @Override
  public int hashCode() {
    return Objects.hash(lock, claimId);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "LeaseHandle[" + PrintableText.escape(lock) + ", token " + token + "]";
  }

  // URL encoding leaves dots alone; they are our separator.
  private static String escape(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace(".", "%2E");
  }

  private static String unescape(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
