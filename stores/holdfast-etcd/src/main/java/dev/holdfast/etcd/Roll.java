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
  void call(ByteString key) {
    long now = ticker.nanoTime();
    lines.compute(
        key,
        (same, line) ->
            line == null ? new Line(now, false, 0) : new Line(now, line.granted, line.given));
  }

  /** Nobody will speak for it any more. */
  void strike(ByteString key) {
    lines.remove(key);
  }

  /** Whether it was granted when it was last heard of: then only its own key needs to be read. */
  boolean isGranted(ByteString key) {
    Line line = lines.get(key);
    return line != null && line.granted;
  }

  /** Its grant, with as many spare tokens as the claim asks for and the revision still has. */
  Granted granted(ByteString key, Claim claim, long token) {
    Tokens[] spares = {Tokens.NONE};
    lines.compute(
        key,
        (same, line) -> {
          int given = line == null ? 0 : line.given;
          long seen = Math.min(claim.floor() - token, Tokens.SPARES_OF_REVISION);
          int skipped = Math.max(given, (int) Math.max(seen, 0));
          spares[0] = Tokens.sparesOfRevision(token, skipped, claim.spares());
          int now = spares[0].count() == 0 ? given : skipped + spares[0].count();
          return new Line(line == null ? ticker.nanoTime() : line.called, true, now);
        });
    return new Granted(token, spares[0]);
  }

  /** Whether nobody has spoken for it for so long that it should have ended. */
  boolean isStranger(ByteString key, long ttlSeconds) {
    Line line = lines.get(key);
    long patience = TimeUnit.SECONDS.toNanos(ttlSeconds) + timeout.toNanos();
    return line == null || ticker.nanoTime() - line.called > patience;
  }

  private record Line(long called, boolean granted, int given) {}
}
