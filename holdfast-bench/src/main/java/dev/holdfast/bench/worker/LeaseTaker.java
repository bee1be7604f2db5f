package dev.holdfast.bench.worker;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Mutex;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes many locks and keeps them, in a process that does nothing else. */
final class LeaseTaker {

  private static final int TAKERS = 8;

  private final Client client;
  private final String prefix;

  // Mutable state
  private final ConcurrentLinkedQueue<Mutex.Hold> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger next = new AtomicInteger();

  LeaseTaker(Client client, String prefix) {
    this.client = client;
    this.prefix = prefix;
  }

  /** Takes this many locks, or as many as possible in this time. */
  String take(int count, Duration atMost) throws Exception {
    Threads takers = new Threads(TAKERS); // not closed: a lock may belong to its thread
    // Classes are loaded and the first threads started before anything is counted.
    Threads.results(takers.start(i -> () -> pass(client.mutex(prefix + "warm-up/" + i))));
    long heapBefore = usedHeap();
    int threadsBefore = threads();
    long start = System.nanoTime();
    long end = start + atMost.toNanos();
    for (Future<Boolean> taker : takers.start(i -> () -> takeUntil(count, end))) {
      await(taker, end);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    int taken = held.size();
    long heap = (usedHeap() - heapBefore) / Math.max(1, taken);
    return String.join(
        "\t",
        List.of("held", "" + taken, "" + seconds, "" + (threads() - threadsBefore), "" + heap));
  }

  /** Sleeps, and measures the processor time spent meanwhile. */
  static String rest(Duration time) throws IOException, InterruptedException {
    ClientCost before = ClientCost.now();
    Thread.sleep(time.toMillis());
    return "rested\t" + ClientCost.now().since(before).processorMicros() / 1e3;
  }

  private boolean takeUntil(int count, long end) throws Exception {
    for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      held.add(client.mutex(prefix + i).acquire());
    }
    return true;
  }

  /** Some libraries cannot hold many locks at once, and wait forever. */
  private static void await(Future<Boolean> taker, long end) throws Exception {
    try {
      taker.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException stuck) {
      // How many were taken is one of the figures.
    }
  }

  private static boolean pass(Mutex mutex) throws Exception {
    mutex.acquire().release();
    return true;
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private static long usedHeap() {
    long used = Long.MAX_VALUE;
    // Until a collection frees nothing more.
    for (int i = 0; i < 10; i++) {
      System.gc();
      long now = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
      if (now >= used) {
        break;
      }
      used = now;
    }
    return used;
  }
}
