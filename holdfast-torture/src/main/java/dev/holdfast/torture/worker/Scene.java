package dev.holdfast.torture.worker;

import dev.holdfast.Holdfast;
import dev.holdfast.torture.ledger.LedgerClient;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * What one thread of a worker works with.
 *
 * @param settings of the worker
 * @param who its name in the history
 * @param locks the client that all threads share
 * @param other another client of the same process
 * @param recorder the history
 * @param ledger the resource
 * @param timer for what happens later
 * @param until when it stops asking for locks, by {@link System#nanoTime}
 * @param random its choices
 */
record Scene(
    WorkerSettings settings,
    String who,
    Holdfast locks,
    Holdfast other,
    Recorder recorder,
    LedgerClient ledger,
    ScheduledExecutorService timer,
    long until,
    Random random) {

  private static final int LONG_ONE_IN = 10;

  /** Returns whether it is still time to ask for locks. */
  boolean isOn() {
    return System.nanoTime() - until < 0;
  }

  /** Returns true once in this many times. */
  boolean onceIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** A duration between these parts of the ttl. */
  Duration between(double least, double most) {
    double part = least + (most - least) * random.nextDouble();
    return Duration.ofNanos((long) (settings.ttl().toNanos() * part));
  }

  /** Mostly a moment, sometimes longer than a ttl, so that leases are renewed. */
  Duration holdTime() {
    return onceIn(LONG_ONE_IN) ? between(0.3, 1.4) : between(0.002, 0.05);
  }

  /** Stands still, not past the end. */
  void rest(Duration time) throws InterruptedException {
    long left = Math.min(time.toNanos(), until - System.nanoTime());
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }

  ScheduledFuture<?> later(Duration delay, Runnable task) {
    return timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
