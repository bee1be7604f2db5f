package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
  void call(ByteString key) {
    lines.compute(key, (same, line) -> orNew(line).calledAt(ticker.nanoTime()));
  }

  /** Nobody will speak for it any more. */
  void strike(ByteString key) {
    lines.remove(key);
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

  /** Its grant, with as many spare tokens as the claim asks for and the revision still has. */
  Granted granted(ByteString key, Claim claim, long created) {
    long token = Tokens.ofRevision(created);
    Tokens[] spares = {Tokens.NONE};
    lines.compute(
        key,
        (same, known) -> {
          Line line = orNew(known);
          int given = line.granted == created ? line.given : 0;
          // One that was attached may have been given some of them elsewhere.
          long seen = Math.min(claim.floor() - token, Tokens.SPARES_OF_REVISION);
          int skipped = Math.max(given, (int) Math.max(seen, 0));
          spares[0] = Tokens.sparesOfRevision(token, skipped, claim.spares());
          return line.grantedAt(
              created, spares[0].count() == 0 ? given : skipped + spares[0].count());
        });
    return new Granted(token, spares[0]);
  }

  /** A join was sent more than once: one of them may arrive even after the claim has left. */
  void doubt(ByteString key) {
    lines.compute(key, (same, line) -> orNew(line).doubted());
  }

  boolean isDoubtful(ByteString key) {
    Line line = lines.get(key);
    return line != null && line.doubtful;
  }

  /**
   * Whether nobody has spoken for it for so long that it should have ended. From then on it has, as
   * far as this client is concerned: it is going to be deleted.
   */
  boolean condemn(ByteString key, long ttlSeconds) {
    long patience = TimeUnit.SECONDS.toNanos(ttlSeconds) + timeout.toNanos();
    Line condemned =
        lines.compute(
            key,
            (same, line) ->
                line == null || ticker.nanoTime() - line.called > patience
                    ? orNew(line).condemn()
                    : line);
    return condemned.condemned;
  }

  /**
   * Whether a claim that has been called is going to be deleted, or has been: whoever calls it puts
   * it on the roll, so if it is not there any more, it was struck since.
   */
  boolean isCondemned(ByteString key) {
    Line line = lines.get(key);
    return line == null || line.condemned;
  }

  private Line orNew(@Nullable Line line) {
    return line == null ? new Line(ticker.nanoTime(), 0, 0, false, false) : line;
  }

  /**
   * What is known about a claim.
   *
   * @param called when somebody spoke for it last
   * @param granted the revision at which it was created, once it is granted
   * @param given how many spare tokens it has been given
   */
  private record Line(long called, long granted, int given, boolean doubtful, boolean condemned) {

    Line calledAt(long now) {
      return new Line(now, granted, given, doubtful, condemned);
    }

    Line grantedAt(long created, int tokens) {
      return new Line(called, created, tokens, doubtful, condemned);
    }

    Line doubted() {
      return new Line(called, granted, given, true, condemned);
    }

    Line condemn() {
      return new Line(called, granted, given, doubtful, true);
    }
  }
}
