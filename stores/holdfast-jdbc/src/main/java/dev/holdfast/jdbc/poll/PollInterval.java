package dev.holdfast.jdbc.poll;

import dev.holdfast.jdbc.queue.ClaimRow;
import dev.holdfast.jdbc.queue.LoadedQueue;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often to look after a waiting claim.
 *
 * <p>The first look at the next claim is 10 ms after it joined, further ones follow every 10 ms;
 * for each claim behind it 10 ms later and 20 ms less often. Earlier, most first looks would find
 * nothing; later, claims would wait longer for a short hold than it lasts. If all were looked after
 * once a second, a queue of short holds would advance only about that fast. But the longer the last
 * grant was ago, the less often the database is polled, down to once a second: so no claim waits an
 * eighth longer than it must, and many long waits cost little. In any case the next claim is looked
 * after when the first of those ahead expires, which no notification announces. Where the database
 * notifies clients of grants, the next claim is looked after once a second, the others every five.
 */
public final class PollInterval {

  public static final Duration FIRST = Duration.ofMillis(10);
  public static final Duration FAST = Duration.ofMillis(10);
  public static final Duration STEP = Duration.ofMillis(20);
  public static final Duration SLOW = Duration.ofSeconds(1);

  private static final Duration FAR_BEHIND = Duration.ofSeconds(5);
  private static final int SHARE = 8;

  private PollInterval() {}

  /**
   * Returns the nanoseconds until the first look after a claim that has joined.
   *
   * @param position how many claims are ahead of it
   * @param pushed whether its client is notified of its grant
   */
  public static long first(Claim claim, int position, boolean pushed) {
    long soon = claim.capacity() == 1 ? Math.max(1, position) * FIRST.toNanos() : FAST.toNanos();
    return pushed ? SLOW.toNanos() : Math.min(soon, SLOW.toNanos());
  }

  /** Returns the nanoseconds until the next look after a claim that was found waiting. */
  public static long next(LoadedQueue queue, ClaimRow waiting, boolean pushed) {
    int waitingAhead = queue.waitingAhead(waiting);
    Duration behindPush = waitingAhead == 0 ? SLOW : FAR_BEHIND;
    long usual = pushed ? jittered(behindPush) : ifPolled(queue, waitingAhead);
    return waitingAhead == 0
        ? Math.min(usual, Math.max(FAST.toNanos(), queue.firstExpiry().toNanos()))
        : usual;
  }

  /**
   * Returns the same for a claim that joined recently, of which only the position is known.
   *
   * @param position how many claims are ahead of it
   */
  public static long next(int position) {
    return position == 1 ? FAST.toNanos() : jittered(STEP.multipliedBy(position));
  }

  /** Returns half of it up to all of it, so that many clients do not poll at the same moment. */
  static long jittered(Duration time) {
    return jittered(time.toNanos());
  }

  private static long ifPolled(LoadedQueue queue, int waitingAhead) {
    long share = queue.sinceLastGrant().toNanos() / SHARE;
    long near = waitingAhead == 0 ? FAST.toNanos() : STEP.toNanos() * (waitingAhead + 1);
    long nanos = Math.min(Math.max(near, share), SLOW.toNanos());
    return waitingAhead == 0 ? nanos : jittered(nanos);
  }

  private static long jittered(long nanos) {
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2);
  }
}
