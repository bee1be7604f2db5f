package dev.holdfast.leased;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A client's own claims in one store, and until when each of them is wanted.
 *
 * <p>Claims share a lease, so a claim that is not renewed any more does not end by itself: the
 * audit ends it. From the moment when a claim {@linkplain #expire expires} or {@linkplain #leaving
 * leaves}, no answer on its way may report it as held.
 *
 * <p>Thread-safe.
 */
public final class ClaimRegistry {

  /** How long a claim that has ended, or was taken over by another client, is remembered. */
  private static final Duration FORGET_AFTER = Duration.ofMinutes(1);

  private final Ticker ticker;
  private final Duration timeout;
  private final ConcurrentHashMap<ClaimKey, OwnClaim> claims = new ConcurrentHashMap<>();

  /**
   * @param timeout how long an operation usually takes at most
   */
  public ClaimRegistry(Ticker ticker, Duration timeout) {
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /**
   * A join is about to be sent. Its place is unknown until it is answered.
   *
   * @return true if the claim was registered already, so that it may be in its queue
   */
  public boolean joining(Claim claim, Deadline deadline) {
    ClaimKey key = new ClaimKey(claim.lock(), claim.id());
    OwnClaim fresh = new OwnClaim(until(claim.waitingTtl(), deadline));
    if (claims.putIfAbsent(key, fresh) == null) {
      return false;
    }
    claims.compute(
        key, (same, own) -> own == null ? fresh : own.joining(until(life(own, claim), deadline)));
    return true;
  }

  /**
   * @return true if it is registered, so that it may be in its queue
   */
  public boolean contains(Claim claim) {
    return claims.containsKey(ClaimKey.of(claim));
  }

  /** A renewal is about to be sent; before that, or the audit could end the claim meanwhile. */
  public void renewing(Claim claim, Deadline deadline) {
    claims.compute(
        ClaimKey.of(claim),
        (same, own) ->
            own == null
                ? new OwnClaim(until(claim.waitingTtl(), deadline))
                : own.renewing(until(life(own, claim), deadline)));
  }

  private static Duration life(OwnClaim own, Claim claim) {
    return own.granted == 0 ? claim.waitingTtl() : claim.ttl();
  }

  // What is sent may arrive until the deadline, and the claim lives for its ttl from then on.
  private long until(Duration ttl, Deadline deadline) {
    long underWay = Math.max(timeout.toNanos(), deadline.remainingNanos());
    return ticker.nanoTime() + ttl.toNanos() + underWay;
  }

  /**
   * A join is about to be sent again: one of the two may arrive even after the claim has left.
   *
   * @return false if it must not be sent because the claim is leaving or has left
   */
  public boolean repeating(Claim claim) {
    OwnClaim own =
        claims.computeIfPresent(
            ClaimKey.of(claim), (same, known) -> known.leaving ? known : known.repeat());
    return own != null && !own.leaving;
  }

  /**
   * A leave is about to be sent; no join of this claim is sent again from now on.
   *
   * @return true if a join was sent more than once, so that one may arrive after the leave
   */
  public boolean leaving(Claim claim) {
    OwnClaim own =
        claims.computeIfPresent(ClaimKey.of(claim), (same, known) -> known.startLeaving());
    return own != null && own.repeated;
  }

  /** It has left. Until that is known, a repeated leave must know of repeated joins. */
  public void left(Claim claim) {
    claims.computeIfPresent(ClaimKey.of(claim), (same, own) -> own.leaving ? null : own);
  }

  /** It has ended. One that is leaving stays registered until it has left. */
  public void gone(ClaimKey key) {
    claims.computeIfPresent(key, (same, own) -> own.leaving ? own : null);
  }

  /** Its key was not found. One that is leaving or being deleted stays until that is done. */
  public void missing(ClaimKey key) {
    claims.computeIfPresent(key, (same, own) -> own.leaving || own.expired ? own : null);
  }

  /**
   * @return its key, null if that is unknown or a join of it was not answered
   */
  public @Nullable Place place(Claim claim) {
    OwnClaim own = claims.get(ClaimKey.of(claim));
    return own == null ? null : own.place;
  }

  /**
   * @return its key if it was granted by the last answer, otherwise null
   */
  public @Nullable Place grantedPlace(Claim claim) {
    OwnClaim own = claims.get(ClaimKey.of(claim));
    return own == null || own.place == null || own.place.created() != own.granted
        ? null
        : own.place;
  }

  /** It waits at this place. */
  public void queued(Claim claim, Place place) {
    claims.computeIfPresent(ClaimKey.of(claim), (same, own) -> own.at(place));
  }

  /**
   * It is granted.
   *
   * @param wanted see {@link Granted#wanted}
   * @return the grant, with the spare tokens that the claim asks for as far as its revision has
   *     them
   */
  public Granted granted(ClaimKey key, Claim claim, Place place, boolean wanted) {
    long created = place.created();
    long token = Tokens.ofRevision(created);
    Tokens[] spares = {Tokens.NONE};
    claims.computeIfPresent(
        key,
        (same, own) -> {
          int before = own.granted == created ? own.given : 0;
          // An attached claim may have been given some in another process. A floor beyond them is
          // the token of another lock and says nothing.
          long used = claim.floor() - token;
          int skipped = used > before && used <= Tokens.SPARES_OF_REVISION ? (int) used : before;
          spares[0] = Tokens.sparesOfRevision(token, skipped, claim.spares());
          int count = spares[0].count();
          long until = ticker.nanoTime() + claim.ttl().plus(timeout).toNanos();
          long later = until - own.until > 0 ? until : own.until;
          int given = count == 0 ? before : skipped + count;
          return new OwnClaim(later, place, created, given, own.repeated, own.expired, own.leaving);
        });
    return new Granted(token, spares[0], wanted);
  }

  /**
   * Marks a claim that was not renewed in time as ended: the audit is going to delete it.
   *
   * @return true if it is marked, now or before
   */
  public boolean expire(ClaimKey key) {
    long now = ticker.nanoTime();
    OwnClaim marked =
        claims.compute(
            key,
            (same, own) -> {
              if (own == null) {
                return new OwnClaim(now).expire();
              }
              return now - own.until > 0 ? own.expire() : own;
            });
    return marked.expired;
  }

  /**
   * @return true if a registered claim is being deleted or leaves, or has ended since it was
   *     registered
   */
  public boolean isEnding(Claim claim) {
    OwnClaim own = claims.get(ClaimKey.of(claim));
    return own == null || own.expired || own.leaving;
  }

  /**
   * @return those of these keys that belong to no claim that was renewed in time
   */
  public List<String> unclaimed(Collection<String> keys) {
    long now = ticker.nanoTime();
    Set<String> unclaimed = new LinkedHashSet<>(keys);
    for (OwnClaim own : claims.values()) {
      if (own.place != null && now - own.until <= 0) {
        unclaimed.remove(own.place.key());
      }
    }
    return List.copyOf(unclaimed);
  }

  /**
   * @return at most this many claims that were not renewed in time or are being deleted
   */
  public List<ClaimKey> overdue(int limit) {
    long now = ticker.nanoTime();
    return claims.entrySet().stream()
        .filter(own -> own.getValue().isOverdue(now))
        .limit(limit)
        .map(own -> own.getKey())
        .toList();
  }

  /** An overdue claim has ended, unless it was renewed meanwhile. */
  public void forgetOverdue(ClaimKey key) {
    long now = ticker.nanoTime();
    claims.computeIfPresent(key, (same, own) -> own.isOverdue(now) ? null : own);
  }

  /**
   * @return the locks of the claims that are granted
   */
  public List<String> heldLocks() {
    return claims.entrySet().stream()
        .filter(own -> own.getValue().granted > 0)
        .map(own -> own.getKey().lock())
        .distinct()
        .toList();
  }

  /**
   * @return true if no claim of this client can be in the store
   */
  public boolean isEmpty() {
    return claims.isEmpty();
  }

  /** Forgets claims that were not renewed for long: another client may have taken them over. */
  public void sweep() {
    long now = ticker.nanoTime();
    claims.values().removeIf(own -> now - own.until > FORGET_AFTER.toNanos());
  }

  /**
   * What is known about a claim.
   *
   * @param until when it should have ended unless it is renewed
   * @param place null while it is unknown
   * @param granted the revision that created it, once it is granted
   * @param given how many spare tokens it has been given
   * @param repeated whether a join of it was sent more than once
   * @param expired whether the audit is going to delete it
   * @param leaving whether it is leaving or has left
   */
  private record OwnClaim(
      long until,
      @Nullable Place place,
      long granted,
      int given,
      boolean repeated,
      boolean expired,
      boolean leaving) {

    OwnClaim(long until) {
      this(until, null, 0, 0, false, false, false);
    }

    boolean isOverdue(long now) {
      return expired || now - until > 0;
    }

    OwnClaim joining(long newUntil) {
      return leaving
          ? new OwnClaim(newUntil, null, 0, 0, repeated, false, false)
          : new OwnClaim(newUntil, null, granted, given, repeated, expired, false);
    }

    OwnClaim renewing(long newUntil) {
      return leaving
          ? this
          : new OwnClaim(newUntil, place, granted, given, repeated, expired, false);
    }

    OwnClaim at(Place taken) {
      return new OwnClaim(until, taken, granted, given, repeated, expired, leaving);
    }

    OwnClaim repeat() {
      return new OwnClaim(until, place, granted, given, true, expired, leaving);
    }

    OwnClaim expire() {
      return new OwnClaim(until, place, granted, given, repeated, true, leaving);
    }

    OwnClaim startLeaving() {
      return new OwnClaim(until, place, granted, given, repeated, expired, true);
    }
  }

  /** Identifies a claim: the same id on another lock is another claim. */
  public record ClaimKey(String lock, String id) {

    /** The identity of this claim. */
    public static ClaimKey of(Claim claim) {
      return new ClaimKey(claim.lock(), claim.id());
    }
  }

  /**
   * The key of a claim in its queue. Other claims may use the same key before and after.
   *
   * @param created the revision at which the claim created the key
   */
  public record Place(String key, long created) {}
}
