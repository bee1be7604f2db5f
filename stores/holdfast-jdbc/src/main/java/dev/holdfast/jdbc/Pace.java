package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often to look after a claim that waits.
 *
 * <p>The next in line is looked after 25 ms after it came and then every 10 ms, each one behind it
 * 25 ms later and 20 ms less often. Sooner, the first look would come too soon for most, and later,
 * whoever holds the lock only briefly would be waited for longer than he holds it. If all of them
 * were looked after once a second, a queue of short holders would move on only about as fast as
 * that. But the longer nobody has been let in, the less often anybody is looked after, down to once
 * a second: so nobody waits an eighth longer than it must, and many who wait for long cost little.
 * The next in line is looked after in any case when the first of those ahead expires, of which
 * nobody tells. Where the database tells whoever is let in, the next in line looks once a second,
 * the others every five.
 */
final class Pace {

  static final Duration FIRST = Duration.ofMillis(25);
  static final Duration FAST = Duration.ofMillis(10);
  static final Duration STEP = Duration.ofMillis(20);
  static final Duration SLOW = Duration.ofSeconds(1);

  private static final Duration FAR_BEHIND = Duration.ofSeconds(5);
  private static final int SHARE = 8;

  private Pace() {}

  /**
   * Nanoseconds until the first look after a claim that has come.
   *
   * @param position how many are ahead of it
   * @param pushed whether its client is told when it is let in
   */
  static long first(Claim claim, int position, boolean pushed) {
    long soon = claim.capacity() == 1 ? Math.max(1, position) * FIRST.toNanos() : FAST.toNanos();
    return pushed ? SLOW.toNanos() : Math.min(soon, SLOW.toNanos());
  }

  /** Nanoseconds until the next look after one that was found waiting. */
  static long next(LockQueue queue, Entry waiting, boolean pushed) {
    int waitingAhead = queue.waitingAhead(waiting);
    Duration behindPush = waitingAhead == 0 ? SLOW : FAR_BEHIND;
    long usual = pushed ? jittered(behindPush) : ifPolled(queue, waitingAhead);
    return waitingAhead == 0
        ? Math.min(usual, Math.max(FAST.toNanos(), queue.firstExpiry().toNanos()))
        : usual;
  }

  /**
   * The same, where no more is known than its position, because it came not long ago.
   *
   * @param position how many are ahead of it
   */
  static long next(int position) {
    return position == 1 ? FAST.toNanos() : jittered(STEP.multipliedBy(position));
  }

  /** Half of it up to all of it, so that many clients do not come at the same moment. */
  static long jittered(Duration time) {
    return jittered(time.toNanos());
  }

  private static long ifPolled(LockQueue queue, int waitingAhead) {
    long share = queue.sinceLastGrant().toNanos() / SHARE;
    long near = waitingAhead == 0 ? FAST.toNanos() : STEP.toNanos() * (waitingAhead + 1);
    long nanos = Math.min(Math.max(near, share), SLOW.toNanos());
    return waitingAhead == 0 ? nanos : jittered(nanos);
  }

  private static long jittered(long nanos) {
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2);
  }
}
