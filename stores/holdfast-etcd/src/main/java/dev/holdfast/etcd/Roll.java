package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
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
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The claims that this client speaks for, and when it did so last. A claim that is not on it, or
 * was not spoken for in time, is kept alive by its neighbours only. Any threads.
 */
final class Roll {

  private final Ticker ticker;
  private final Duration timeout;
  private final ConcurrentHashMap<ClaimKey, Line> lines = new ConcurrentHashMap<>();

  Roll(Ticker ticker, Duration timeout) {
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /** Somebody speaks for it now; before anything is sent, or the audit would delete it. */
  void call(Claim claim, Deadline deadline) {
    call(
        claim,
        deadline,
        line -> line.leaving ? line : line.calledAt(at(deadline), patience(claim)));
  }

  /**
   * The same for one that is going to join: where it sits, the answer tells.
   *
   * @return whether it was on the roll already, and so may be there
   */
  boolean join(Claim claim, Deadline deadline) {
    boolean known = lines.containsKey(ClaimKey.of(claim));
    call(claim, deadline, line -> line.calledAt(at(deadline), patience(claim)).joining());
    return known;
  }

  private void call(Claim claim, Deadline deadline, UnaryOperator<Line> change) {
    lines.compute(
        ClaimKey.of(claim),
        (same, line) ->
            line == null ? Line.fresh(at(deadline), patience(claim)) : change.apply(line));
  }

  /** Now; or later, if the operation may go on for longer than the time-out. */
  private long at(Deadline deadline) {
    return ticker.nanoTime() + Math.max(0, deadline.remainingNanos() - timeout.toNanos());
  }

  private long patience(Claim claim) {
    return claim.ttl().plus(timeout).toNanos();
  }

  /** Nobody will speak for it any more. One that is leaving stays until it has left. */
  void strike(ClaimKey claim) {
    lines.computeIfPresent(claim, (same, line) -> line.leaving ? line : null);
  }

  /**
   * It is going to leave: no join of it is sent again from now on.
   *
   * @return whether one was sent more than once: then it may arrive even after the claim has left
   */
  boolean leave(Claim claim) {
    Line line = lines.computeIfPresent(ClaimKey.of(claim), (same, known) -> known.leave());
    return line != null && line.doubtful;
  }

  /** It has left. As long as that is not known, another leave must know whether to doubt. */
  void left(Claim claim) {
    lines.computeIfPresent(ClaimKey.of(claim), (same, line) -> line.leaving ? null : line);
  }

  /** Where it sits, unless a join of it was not answered, or nothing is known; then null. */
  @Nullable Seat seat(Claim claim) {
    Line line = lines.get(ClaimKey.of(claim));
    return line == null ? null : line.seat;
  }

  /** Where it sits, if it was granted when it was last heard of; or null. */
  @Nullable Seat held(Claim claim) {
    Line line = lines.get(ClaimKey.of(claim));
    return line == null || line.seat == null || line.seat.created() != line.granted
        ? null
        : line.seat;
  }

  /** It sits there, and waits. */
  void queued(Claim claim, Seat seat) {
    lines.computeIfPresent(ClaimKey.of(claim), (same, line) -> line.on(seat));
  }

  /**
   * Its grant, with as many spare tokens as the claim asks for and the revision still has. It has
   * been called before.
   */
  Granted granted(Claim claim, Seat seat) {
    long created = seat.created();
    long token = Tokens.ofRevision(created);
    Tokens[] spares = {Tokens.NONE};
    lines.computeIfPresent(
        ClaimKey.of(claim),
        (same, line) -> {
          int given = line.granted == created ? line.given : 0;
          int skipped = Math.max(given, seenOf(token, claim.floor()));
          spares[0] = Tokens.sparesOfRevision(token, skipped, claim.spares());
          return line.on(seat)
              .grantedAt(created, spares[0].count() == 0 ? given : skipped + spares[0].count());
        });
    return new Granted(token, spares[0]);
  }

  /**
   * How many spares the client is known to have seen: one that was attached may have been given
   * some of them elsewhere. A floor beyond them is the token of another lock and tells nothing.
   */
  private static int seenOf(long token, long floor) {
    long seen = floor - token;
    return seen > 0 && seen <= Tokens.SPARES_OF_REVISION ? (int) seen : 0;
  }

  /**
   * A join is about to be sent again: one of them may arrive even after the claim has left.
   *
   * @return whether it may be sent: not if the claim is leaving, or has left
   */
  boolean doubt(Claim claim) {
    Line line =
        lines.computeIfPresent(
            ClaimKey.of(claim), (same, known) -> known.leaving ? known : known.doubted());
    return line != null && !line.leaving;
  }

  /**
   * Whether nobody has spoken for it for so long that it should have ended. From then on it has, as
   * far as this client is concerned: it is going to be deleted.
   */
  boolean condemn(ClaimKey claim, long ttlSeconds) {
    long patience = patience(ttlSeconds);
    long now = ticker.nanoTime();
    Line condemned =
        lines.compute(
            claim,
            (same, line) -> {
              if (line == null) {
                return Line.fresh(now, patience).condemn();
              }
              return now - line.called > patience ? line.condemn() : line;
            });
    return condemned.condemned;
  }

  /**
   * Whether a claim that has been called is going to be deleted, or has been: whoever calls it puts
   * it on the roll, so if it is not there any more, it was struck since.
   */
  boolean isCondemned(Claim claim) {
    Line line = lines.get(ClaimKey.of(claim));
    return line == null || line.condemned || line.leaving;
  }

  /** Those of these keys on which nobody sits for whom somebody has spoken in time. */
  List<ByteString> strangers(Collection<ByteString> keys, long ttlSeconds) {
    long patience = patience(ttlSeconds);
    long now = ticker.nanoTime();
    Set<ByteString> strangers = new LinkedHashSet<>(keys);
    for (Line line : lines.values()) {
      if (line.seat != null && now - line.called <= patience) {
        strangers.remove(line.seat.key());
      }
    }
    return List.copyOf(strangers);
  }

  private long patience(long ttlSeconds) {
    return TimeUnit.SECONDS.toNanos(ttlSeconds) + timeout.toNanos();
  }

  /** Removes those for which nobody has spoken for long: others may have taken them over. */
  void sweep() {
    long now = ticker.nanoTime();
    lines.values().removeIf(line -> now - line.called > 2 * line.patience);
  }

  /**
   * What is known about a claim.
   *
   * @param called when somebody spoke for it last
   * @param patience how long after that it should have ended, in nanoseconds
   * @param seat where it sits; null while that is not known
   * @param granted the revision at which it was created, once it is granted
   * @param given how many spare tokens it has been given
   * @param doubtful whether a join of it was sent more than once
   * @param condemned whether it is going to be deleted
   * @param leaving whether it is going to leave, or has
   */
  private record Line(
      long called,
      long patience,
      @Nullable Seat seat,
      long granted,
      int given,
      boolean doubtful,
      boolean condemned,
      boolean leaving) {

    static Line fresh(long now, long patience) {
      return new Line(now, patience, null, 0, 0, false, false, false);
    }

    Line calledAt(long now, long atMost) {
      return leaving // it joins once more
          ? new Line(now, atMost, null, 0, 0, doubtful, false, false)
          : new Line(now, atMost, seat, granted, given, doubtful, condemned, false);
    }

    Line joining() {
      return new Line(called, patience, null, granted, given, doubtful, condemned, leaving);
    }

    Line on(Seat taken) {
      return new Line(called, patience, taken, granted, given, doubtful, condemned, leaving);
    }

    Line grantedAt(long created, int tokens) {
      return new Line(called, patience, seat, created, tokens, doubtful, condemned, leaving);
    }

    Line doubted() {
      return new Line(called, patience, seat, granted, given, true, condemned, leaving);
    }

    Line condemn() {
      return new Line(called, patience, seat, granted, given, doubtful, true, leaving);
    }

    Line leave() {
      return new Line(called, patience, seat, granted, given, doubtful, condemned, true);
    }
  }
}
