package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The claims that this client may have in Consul, and when it spoke for each of them last. A claim
 * stays on the roll until it is certain that it has ended. Any threads.
 */
final class Roll {

  private final Ticker ticker;
  private final Duration timeout;
  private final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();

  Roll(Ticker ticker, Duration timeout) {
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /** Somebody speaks for it now; to be said before anything is sent. */
  void call(String key, Claim claim) {
    lines.compute(
        key,
        (same, line) ->
            line == null
                ? new Line(after(claim.waitingTtl()), false, 0)
                : new Line(
                    after(line.granted ? claim.ttl() : claim.waitingTtl()),
                    line.granted,
                    line.given));
  }

  /** It has ended. */
  void strike(String key) {
    lines.remove(key);
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  /** Whether it was granted when it was last heard of: then only its own key needs to be read. */
  boolean isGranted(String key) {
    Line line = lines.get(key);
    return line != null && line.granted;
  }

  /** Its grant, with as many spare tokens as the claim asks for and the index still has. */
  Granted granted(String key, Claim claim, long token) {
    Tokens[] spares = {Tokens.NONE};
    lines.computeIfPresent(
        key,
        (same, line) -> {
          spares[0] = Tokens.sparesOfRevision(token, line.given, claim.spares());
          return new Line(after(claim.ttl()), true, line.given + spares[0].count());
        });
    return new Granted(token, spares[0]);
  }

  /** At most so many of those that nobody has spoken for in time. */
  List<String> forgotten(int limit) {
    long now = ticker.nanoTime();
    return lines.entrySet().stream()
        .filter(line -> line.getValue().until - now < 0)
        .limit(limit)
        .map(line -> line.getKey())
        .toList();
  }

  private long after(Duration ttl) {
    return ticker.nanoTime() + ttl.plus(timeout).toNanos();
  }

  /**
   * What is known of a claim.
   *
   * @param until when it counts as forgotten
   * @param given how many spare tokens it was given
   */
  private record Line(long until, boolean granted, int given) {}
}
