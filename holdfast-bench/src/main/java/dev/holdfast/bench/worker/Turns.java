package dev.holdfast.bench.worker;

import dev.holdfast.bench.contender.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases over and over, by several threads, for a time.
 *
 * @param counts how often each thread had the lock
 * @param seconds how long it took until the last was done
 * @param cost what this process spent meanwhile
 */
public record Turns(List<Long> counts, double seconds, ClientCost cost) {

  /** How much earlier than counted turns others begin, and how much later they end. */
  public static final long MARGIN_MILLIS = 100;

  private static final long MARGIN_NANOS = MARGIN_MILLIS * 1_000_000;

  /** Each thread on its own lock, or all on the same; exclusion is checked if a check is given. */
  public static Turns take(
      Threads threads, IntFunction<Mutex> locks, Duration time, @Nullable ExclusionCheck witness)
      throws Exception {
    ClientCost before = ClientCost.now();
    long start = System.nanoTime();
    long end = start + time.toNanos();
    IntFunction<Callable<Long>> tasks = i -> () -> take(locks.apply(i), end, witness);
    List<Future<Long>> started = threads.start(tasks);
    List<Long> counts = new ArrayList<>(Threads.results(started));
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Turns(counts, seconds, ClientCost.now().since(before));
  }

  /** The same by one thread. */
  public static long take(Mutex mutex, long end, @Nullable ExclusionCheck witness)
      throws Exception {
    long name = ThreadLocalRandom.current().nextLong() | 1; // other than 0
    long count = 0;
    do {
      Mutex.Hold hold = mutex.acquire();
      if (witness != null) {
        witness.enter(name, hold.token());
        witness.exit(name);
      }
      hold.release();
      count++;
    } while (System.nanoTime() - end < 0);
    return count;
  }

  /**
   * As often as possible, but only the turns between these two times count: before and after, until
   * all others have begun or ended, one that is alone would hand the lock to itself.
   */
  static long takeBetween(Mutex mutex, long begin, long end, @Nullable ExclusionCheck witness)
      throws Exception {
    long name = ThreadLocalRandom.current().nextLong() | 1; // other than 0
    long count = 0;
    for (long now = System.nanoTime(); now - end < MARGIN_NANOS; now = System.nanoTime()) {
      Mutex.Hold hold = mutex.acquire();
      if (witness != null) {
        witness.enter(name, hold.token());
        witness.exit(name);
      }
      hold.release();
      count += now - begin >= 0 && now - end < 0 ? 1 : 0;
    }
    return count;
  }

  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  public double rate() {
    return count() / seconds;
  }

  /** What an acquisition with its release costs the client. */
  public ClientCost costEach() {
    return cost.each(count());
  }

  /** The most turns that one had, divided by the fewest. */
  public double spread() {
    long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
    long fewest = counts.stream().mapToLong(Long::longValue).min().orElse(0);
    return (double) most / Math.max(1, fewest);
  }
}
