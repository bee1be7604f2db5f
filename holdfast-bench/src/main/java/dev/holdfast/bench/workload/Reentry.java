package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The holder acquires again and again; who asks the server for that is counted. */
public final class Reentry implements Workload {

  private static final int BETWEEN_LOOKS = 100; // at the clock, which costs more than a re-entry

  @Override
  public String name() {
    return "reentry";
  }

  @Override
  public String title() {
    return "The holder acquires again";
  }

  @Override
  public List<Entry> entries(Ground ground) {
    return ground.entries(
        contender -> contender.gives(Feature.REENTRANT) && contender.role() != Role.VARIANT,
        contender -> new Session(ground, contender));
  }

  private static final class Session implements Trial {
    private final Scale scale;
    private final Counted clients;
    private final Mutex mutex;

    Session(Ground ground, Contender contender) throws Exception {
      scale = ground.scale();
      clients = new Counted(ground, contender, 1);
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
}
