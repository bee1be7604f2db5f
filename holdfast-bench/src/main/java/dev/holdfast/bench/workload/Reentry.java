package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import java.util.LinkedHashMap;
import java.util.Map;

/** The holder acquires again and again; requests to the server are counted. */
final class Reentry implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
          "reentry",
          "The holder acquires again",
          contender -> contender.gives(Feature.REENTRANT) && contender.competes(),
          Reentry::new);

  private static final int BETWEEN_LOOKS = 100; // at the clock, which costs more than a re-entry

  private final Scale scale;
  private final CountedClients clients;
  private final Mutex mutex;

  private Reentry(TestBed ground, Contender contender) throws Exception {
    scale = ground.scale();
    clients = new CountedClients(ground, contender, 1);
    mutex = clients.first().mutex("reentry/" + contender.label());
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Mutex.Hold outer = mutex.acquire();
    long before = clients.requests();
    long start = System.nanoTime();
    long end = start + scale.slice().toNanos();
    long count = 0;
    while (System.nanoTime() - end < 0) {
      for (int i = 0; i < BETWEEN_LOOKS; i++) {
        mutex.acquire().release();
      }
      count += BETWEEN_LOOKS;
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long requests = clients.requests() - before;
    outer.release();
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.RATE, count / seconds);
    figures.put(Metric.REQUESTS_EACH, (double) requests / count);
    return figures;
  }

  @Override
  public void close() throws Exception {
    clients.close();
  }
}
