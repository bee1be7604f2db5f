package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
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

  /** Somebody speaks for it now; to be said right before anything is sent. */
  void call(String key, Claim claim, Deadline deadline) {
    call(key, claim, deadline, true);
  }

  /** Somebody is about to join with it. */
  void expect(String key, Claim claim, Deadline deadline) {
    call(key, claim, deadline, false);
  }

  // What is sent may arrive until the deadline, and the claim lives for its ttl from then on.
  private void call(String key, Claim claim, Deadline deadline, boolean sending) {
    Duration wanted = deadline.remaining();
    Duration underWay = wanted.compareTo(timeout) > 0 ? wanted : timeout;
    lines.compute(
        key,
        (same, line) ->
            line == null
                ? new Line(claim, after(claim.waitingTtl(), underWay), sending, false, 0, false)
                : new Line(
                    claim,
                    after(line.granted ? claim.ttl() : claim.waitingTtl(), underWay),
                    line.sent || sending,
                    line.granted,
                    line.given,
                    line.condemned));
  }

  /** Strikes one that was expected, if nothing was ever sent for it. Whether that was so. */
  boolean strikeUnsent(String key) {
    Line line = lines.get(key);
    return line != null && !line.sent && lines.remove(key, line);
  }

  /** It has ended, and nothing that this client has sent will touch its key. */
  void strike(String key) {
    lines.remove(key);
  }

  /** It has ended; but while the audit is deleting it, it stays condemned. */
  void ended(String key) {
    lines.computeIfPresent(key, (same, line) -> line.condemned ? line : null);
  }

  /** Nothing is there to be ended, unless somebody speaks for it again. */
  void strikeForgotten(String key) {
    lines.computeIfPresent(key, (same, line) -> isForgotten(line) ? null : line);
  }

  /**
   * Whether nobody has spoken for it in time. From then on it has ended, as far as this client is
   * concerned: it is going to be deleted.
   */
  boolean condemn(String key) {
    Line condemned =
        lines.computeIfPresent(key, (same, line) -> isForgotten(line) ? line.condemn() : line);
    return condemned != null && condemned.condemned;
  }

  /** Whether it is being deleted, or was: one that was spoken for and has no line was struck. */
  boolean isCondemned(String key) {
    Line line = lines.get(key);
    return line == null || line.condemned;
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  /** Whether it was granted when it was last heard of: then only its own key needs to be read. */
  boolean isGranted(String key) {
    Line line = lines.get(key);
    return line != null && line.granted;
  }

  /** The locks that are held on the session of this ttl. */
  List<String> held(Duration ttl) {
    return lines.values().stream()
        .filter(line -> line.granted && Sessions.rounded(line.claim.ttl()).equals(ttl))
        .map(line -> line.claim.lock())
        .distinct()
        .toList();
  }

  // The claim's floor is not asked for: indexes rise over all locks, so that its token is above all
  // that were given before; and spares below that of another lock are as good as any.
  /** Its grant, with as many spare tokens as the claim asks for and the index still has. */
  Granted granted(String key, Claim claim, long token) {
    Tokens[] spares = {Tokens.NONE};
    lines.computeIfPresent(
        key,
        (same, line) -> {
          spares[0] = Tokens.sparesOfRevision(token, line.given, claim.spares());
          int given = line.given + spares[0].count();
          return new Line(claim, after(claim.ttl(), timeout), true, true, given, line.condemned);
        });
    return new Granted(token, spares[0]);
  }

  /** At most so many of those that nobody has spoken for in time. */
  List<String> forgotten(int limit) {
    return lines.entrySet().stream()
        .filter(line -> isForgotten(line.getValue()))
        .limit(limit)
        .map(line -> line.getKey())
        .toList();
  }

  private boolean isForgotten(Line line) {
    return line.condemned || line.until - ticker.nanoTime() < 0;
  }

  private long after(Duration ttl, Duration underWay) {
    return ticker.nanoTime() + ttl.plus(underWay).toNanos();
  }

  /**
   * What is known of a claim.
   *
   * @param until when it counts as forgotten
   * @param sent whether anything was sent for it
   * @param given how many spare tokens it was given
   * @param condemned whether the audit is deleting it
   */
  private record Line(
      Claim claim, long until, boolean sent, boolean granted, int given, boolean condemned) {

    Line condemn() {
      return new Line(claim, until, sent, granted, given, true);
    }
  }
}
