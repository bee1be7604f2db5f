package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The claims that this client speaks for, and when it did so last. A claim that is not on it, or
 * was not spoken for in time, is kept alive by its neighbours only. Any threads.
 */
final class Roll {

  private final Ticker ticker;
  private final Duration timeout;
  private final ConcurrentHashMap<ByteString, Line> lines = new ConcurrentHashMap<>();

  Roll(Ticker ticker, Duration timeout) {
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /** Somebody speaks for it now; before anything is sent, or the audit would delete it. */
  void call(ByteString key, Claim claim) {
    long patience = claim.ttl().plus(timeout).toNanos();
    lines.compute(
        key,
        (same, line) ->
            line == null
                ? Line.fresh(ticker.nanoTime(), patience)
                : line.calledAt(ticker.nanoTime(), patience));
  }

  /** Nobody will speak for it any more. One that is leaving stays until it has left. */
  void strike(ByteString key) {
    lines.computeIfPresent(key, (same, line) -> line.leaving ? line : null);
  }

  /**
   * It is going to leave: no join of it is sent again from now on.
   *
   * @return whether one was sent more than once: then it may arrive even after the claim has left
   */
  boolean leave(ByteString key) {
    Line line = lines.computeIfPresent(key, (same, known) -> known.leave());
    return line != null && line.doubtful;
  }

  /** It has left. As long as that is not known, another leave must know whether to doubt. */
  void left(ByteString key) {
    lines.computeIfPresent(key, (same, line) -> line.leaving ? null : line);
  }

  /** The revision at which it was created, if it was granted when it was last heard of; or 0. */
  long grantedAt(ByteString key) {
    Line line = lines.get(key);
    return line == null ? 0 : line.granted;
  }

  /** It was granted once; whether it still is remains to be seen. */
  void forget(ByteString key) {
    lines.computeIfPresent(key, (same, line) -> line.grantedAt(0, 0));
  }

  /**
   * Its grant, with as many spare tokens as the claim asks for and the revision still has. It has
   * been called before.
   */
  Granted granted(ByteString key, Claim claim, long created) {
    long token = Tokens.ofRevision(created);
    Tokens[] spares = {Tokens.NONE};
    lines.computeIfPresent(
        key,
        (same, line) -> {
          int given = line.granted == created ? line.given : 0;
          int skipped = Math.max(given, seenOf(token, claim.floor()));
          spares[0] = Tokens.sparesOfRevision(token, skipped, claim.spares());
          return line.grantedAt(
              created, spares[0].count() == 0 ? given : skipped + spares[0].count());
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
  boolean doubt(ByteString key) {
    Line line =
        lines.computeIfPresent(key, (same, known) -> known.leaving ? known : known.doubted());
    return line != null && !line.leaving;
  }

  /**
   * Whether nobody has spoken for it for so long that it should have ended. From then on it has, as
   * far as this client is concerned: it is going to be deleted.
   */
  boolean condemn(ByteString key, long ttlSeconds) {
    long patience = TimeUnit.SECONDS.toNanos(ttlSeconds) + timeout.toNanos();
    long now = ticker.nanoTime();
    Line condemned =
        lines.compute(
            key,
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
  boolean isCondemned(ByteString key) {
    Line line = lines.get(key);
    return line == null || line.condemned || line.leaving;
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
   * @param granted the revision at which it was created, once it is granted
   * @param given how many spare tokens it has been given
   * @param doubtful whether a join of it was sent more than once
   * @param condemned whether it is going to be deleted
   * @param leaving whether it is going to leave, or has
   */
  private record Line(
      long called,
      long patience,
      long granted,
      int given,
      boolean doubtful,
      boolean condemned,
      boolean leaving) {

    static Line fresh(long now, long patience) {
      return new Line(now, patience, 0, 0, false, false, false);
    }

    Line calledAt(long now, long atMost) {
      return leaving // it joins once more
          ? new Line(now, atMost, 0, 0, doubtful, false, false)
          : new Line(now, atMost, granted, given, doubtful, condemned, false);
    }

    Line grantedAt(long created, int tokens) {
      return new Line(called, patience, created, tokens, doubtful, condemned, leaving);
    }

    Line doubted() {
      return new Line(called, patience, granted, given, true, condemned, leaving);
    }

    Line condemn() {
      return new Line(called, patience, granted, given, doubtful, true, leaving);
    }

    Line leave() {
      return new Line(called, patience, granted, given, doubtful, condemned, true);
    }
  }
}
