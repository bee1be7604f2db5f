package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import dev.holdfast.bench.worker.Turns;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One client comes back to a lock that nobody else wants, so it may keep its claim. Measured for a
 * long time at a stretch, because tokens that were reserved earlier help for a while only.
 */
record Repeat(TestBed ground, Contender contender) implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
              "repeat",
              "One client that comes back to its lock",
              contender -> contender.competes() || contender.role() == Role.FLOOR,
              Repeat::new)
          .oneByOne();

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Scale scale = ground.scale();
    Map<Metric, Double> figures = new LinkedHashMap<>();
    try (Threads one = new Threads(1);
        Client client = contender.open(ground.site().url());
        CountedClients counted = new CountedClients(ground, contender, 1)) {
      String name = "repeat/" + contender.label();
      turns(one, client.mutex(name), scale.slice()); // until the code is compiled
      boolean keeps = contender.role() == Role.HOLDFAST;
      Turns turns = turns(one, client.mutex(name), keeps ? scale.sustained() : scale.handOffs());
      figures.put(Metric.RATE, turns.rate());
      Mutex mutex = counted.first().mutex(name + "/counted");
      turns(one, mutex, scale.slice());
      long before = counted.requests();
      long acquisitions = turns(one, mutex, scale.handOffs()).count();
      long requests = Math.max(1, counted.requests() - before);
      figures.put(Metric.PER_REQUEST, (double) acquisitions / requests);
      figures.put(Metric.PROCESSOR_EACH, turns.costEach().processorMicros());
    }
    return figures;
  }

  private static Turns turns(Threads one, Mutex mutex, Duration time) throws Exception {
    return Turns.take(one, i -> mutex, time, null);
  }

  @Override
  public void close() {}
}
