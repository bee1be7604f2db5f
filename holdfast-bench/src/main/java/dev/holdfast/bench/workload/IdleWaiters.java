package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/**
 * What waiting costs the server while nothing moves: one holds, many wait, requests are counted.
 */
record IdleWaiters(TestBed ground, Contender contender) implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
              "idle",
              "Requests at the server while some wait and nothing moves",
              Contender::competes,
              IdleWaiters::new)
          .oneByOne()
          .comparesNobody();

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Map<Metric, Double> figures = new LinkedHashMap<>();
    for (int count : ground.scale().waiters()) {
      int clients = Math.min(count, ground.scale().clients());
      figures.put(Metric.idle(count, clients), requestsPerSecond(count, clients) / clients);
    }
    return figures;
  }

  private double requestsPerSecond(int count, int clients) throws Exception {
    String lock = "idle/" + contender.label() + "/" + count;
    try (Client holder = contender.open(ground.site().url());
        CountedClients waiting = new CountedClients(ground, contender, clients);
        Threads threads = new Threads(count)) {
      Mutex.Hold hold = holder.mutex(lock).acquire();
      List<Mutex> mutexes = waiting.mutexes(lock, count);
      List<Future<Boolean>> waiters = threads.start(i -> () -> pass(mutexes.get(i)));
      long window = ground.scale().window().toMillis();
      Thread.sleep(window / 4); // until all have queued
      long before = waiting.requests();
      Thread.sleep(window);
      double perSecond = (waiting.requests() - before) * 1000.0 / window;
      hold.release();
      Threads.results(waiters);
      return perSecond;
    }
  }

  private static boolean pass(Mutex mutex) throws Exception {
    mutex.acquire().release();
    return true;
  }

  @Override
  public void close() {}
}
