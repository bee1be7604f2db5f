package dev.holdfast.bench.workload;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** What a waiter costs its client, queueing and being served, depending on how many wait. */
final class LocalWaiters implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
          "waiters",
          "Waiters of one client on one lock",
          ground -> List.of(new Participant("Holdfast", () -> new LocalWaiters(ground))));

  private final Scale scale;
  private final Holdfast locks;
  private final DistributedLock lock;

  private LocalWaiters(TestBed ground) {
    scale = ground.scale();
    locks = Holdfast.connect(ground.site().url());
    lock = locks.lock("waiters");
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Map<Metric, Double> figures = new LinkedHashMap<>();
    for (int count : scale.localWaiters()) {
      figures.put(Metric.perWaiter(count), microsEach(count));
    }
    return figures;
  }

  /** All queue behind a holder, then each has the lock once. Repeated, so that few count, too. */
  private double microsEach(int count) throws Exception {
    int times = Math.max(1, scale.localWaiters().get(scale.localWaiters().size() - 1) / count / 4);
    long nanos = 0;
    for (int i = 0; i < times; i++) {
      Lease holder = lock.acquire();
      long start = System.nanoTime();
      CompletableFuture<?>[] waiters =
          IntStream.range(0, count)
              .mapToObj(number -> lock.acquireAsync().thenAccept(Lease::close))
              .toArray(CompletableFuture<?>[]::new);
      holder.close();
      CompletableFuture.allOf(waiters).get();
      nanos += System.nanoTime() - start;
    }
    return nanos / 1e3 / times / count;
  }

  @Override
  public void close() {
    locks.close();
  }
}
