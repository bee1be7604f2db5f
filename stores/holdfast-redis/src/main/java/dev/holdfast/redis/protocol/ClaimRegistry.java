package dev.holdfast.redis.protocol;

import dev.holdfast.Registration;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client's own claims that wait, each with a timer: nobody publishes when a holder dies. Each
 * reply to a waiting claim says how long the claim that it waits for lives at least. If no later
 * reply comes by then, the waiter is woken, and its refresh finds out. While all holders renew,
 * those refreshes come first and no timer fires.
 *
 * <p>Thread-safe.
 */
public final class ClaimRegistry {

  // A wake-up that is a little late finds the claim ended; one that is too early finds nothing.
  private static final Duration SLACK = Duration.ofMillis(2);

  private final Ticker ticker;
  private final Consumer<String> wake;
  private final ConcurrentHashMap<Claim, Registration> timers = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  /**
   * @param wake gets the name of a lock whose waiters are to check
   */
  public ClaimRegistry(Ticker ticker, Consumer<String> wake) {
    this.ticker = ticker;
    this.wake = wake;
  }

  /**
   * @param queued whether the claim waits, according to this reply
   */
  public void track(Claim claim, boolean queued, Reply reply) {
    if (!queued) {
      remove(claim);
    } else if (!closed) {
      timers.compute(
          claim,
          (key, old) -> {
            cancel(old);
            return ticker.schedule(reply.blockerLives().plus(SLACK), () -> expired(claim));
          });
    }
  }

  public void remove(Claim claim) {
    if (!timers.isEmpty()) {
      cancel(timers.remove(claim));
    }
  }

  private void expired(Claim claim) {
    timers.remove(claim);
    wake.accept(claim.lock());
  }

  public void close() {
    closed = true;
    timers.values().forEach(Registration::close);
    timers.clear();
  }

  private static void cancel(@Nullable Registration timer) {
    if (timer != null) {
      timer.close();
    }
  }
}
