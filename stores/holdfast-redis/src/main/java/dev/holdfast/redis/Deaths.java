package dev.holdfast.redis;

import dev.holdfast.Registration;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nobody publishes when a holder dies. Each answer to a waiter says how long the one that it waits
 * for lives at least; if no later answer comes until then, the waiter gets a hint, and its refresh
 * finds out. As long as all are alive their refreshes come first and nothing happens here.
 *
 * <p>Keeps one timer for each claim that waits. Any threads.
 */
final class Deaths {

  // A hint that is a little late finds the dead dead; one that is a little early finds nothing.
  private static final Duration SLACK = Duration.ofMillis(2);

  private final Ticker ticker;
  private final Consumer<String> wake;
  private final ConcurrentHashMap<Claim, Registration> timers = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  Deaths(Ticker ticker, Consumer<String> wake) {
    this.ticker = ticker;
    this.wake = wake;
  }

  void waits(Claim claim, Duration watchedLives) {
    if (closed) {
      return;
    }
    timers.compute(
        claim,
        (key, old) -> {
          close(old);
          return ticker.schedule(watchedLives.plus(SLACK), () -> due(claim));
        });
  }

  void ended(Claim claim) {
    if (!timers.isEmpty()) {
      close(timers.remove(claim));
    }
  }

  private void due(Claim claim) {
    timers.remove(claim);
    wake.accept(claim.lock());
  }

  void close() {
    closed = true;
    timers.values().forEach(Registration::close);
    timers.clear();
  }

  private static void close(@Nullable Registration timer) {
    if (timer != null) {
      timer.close();
    }
  }
}
