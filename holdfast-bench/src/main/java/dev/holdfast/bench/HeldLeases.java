package dev.holdfast.bench;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * What holding many leases costs in heap and threads: {@code HeldLeases [COUNT] [STORE]}, by
 * default 10,000 on {@code memory:}.
 */
public final class HeldLeases {

  private HeldLeases() {}

  /** Runs it. */
  public static void main(String[] args) throws InterruptedException {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    String store = args.length > 1 ? args[1] : "memory:";
    try (Holdfast locks = Holdfast.connect(store)) {
      // Classes are loaded and the first threads started before anything is counted.
      locks.lock("warm-up").acquire().close();
      long heapBefore = usedHeap();
      int threadsBefore = threads();
      List<Lease> leases = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        leases.add(locks.lock("lease/" + i).acquire());
      }
      long heap = usedHeap() - heapBefore;
      System.out.printf(
          "%d leases on %s: %d bytes of heap each, %d more threads%n",
          count, store, heap / count, threads() - threadsBefore);
      leases.forEach(Lease::close);
    }
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
