package dev.holdfast.engine.state;

import dev.holdfast.spi.Claim;
import java.util.List;

/**
 * A life that is shorter than the claim's own, as maxHold makes a renewal ask for it. The store may
 * carry such a renewal out after another one that asked for more, and then the claim ends by the
 * shorter one, counted from no earlier than the later of both sends. Not thread-safe.
 */
final class Shortening {

  private static final long NONE = Long.MAX_VALUE;

  // Mutable state
  private long shortest = NONE;
  private long earliestEnd; // of those that were asked for
  private int open;
  private long over; // when nothing that was asked for is on its way any more

  /**
   * Asks for no more life than the longest maxHold of these holds leaves: a crash must not outlive
   * it.
   */
  Claim ask(Claim claim, List<Hold> holds, ClientState client, long now) {
    Claim shortened = client.shortened(claim, longest(holds, now));
    long asked = shortened.ttl().toNanos();
    if (asked >= claim.ttl().toNanos()) {
      return claim;
    }
    long end = now + asked;
    earliestEnd = shortest == NONE || end - earliestEnd < 0 ? end : earliestEnd;
    shortest = Math.min(shortest, asked);
    open++;
    over = now + 2 * client.operationTimeout; // then it is too old to be carried out
    return shortened;
  }

  /** What the longest maxHold of these holds leaves. */
  static long longest(List<Hold> holds, long now) {
    long longest = 0;
    for (Hold hold : holds) {
      longest = Math.max(longest, hold.leftOfMaxHold(now));
    }
    return longest;
  }

  /** A renewal was answered. */
  void answered(Claim asked, Claim claim, long now) {
    if (asked.ttl().compareTo(claim.ttl()) < 0) {
      open--;
      over = open == 0 ? now : over;
    }
  }

  /**
   * What a confirmed renewal that was sent then may count on, whatever it asked for.
   *
   * @return {@link Long#MAX_VALUE} if nothing shorter can have come after it
   */
  long bound(long sent) {
    if (shortest != NONE && sent - over > 0) {
      shortest = NONE;
      open = 0;
    }
    return shortest == NONE ? NONE : Math.max(shortest, earliestEnd - sent);
  }
}
