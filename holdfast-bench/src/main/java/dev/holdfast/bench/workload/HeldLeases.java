package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.store.CountingProxy;
import dev.holdfast.bench.worker.WorkerAnswers;
import dev.holdfast.bench.worker.WorkerProcess;
import dev.holdfast.testkit.JavaProcess;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What it costs to hold many leases: a process takes them and rests, then acquires and releases
 * other locks as fast as it can, and rests again.
 */
record HeldLeases(TestBed ground, Contender contender) implements Trial {

  static final Workload WORKLOAD =
      Workload.of("held", "Holding 10,000 leases", Contender::competes, HeldLeases::new)
          .oneByOne()
          .comparesNobody();

  @Override
  public Map<Metric, Double> measure() throws Exception {
    try (CountingProxy proxy = new CountingProxy(ground.store().framing(), ground.site().port());
        JavaProcess worker =
            JavaProcess.start(
                WorkerProcess.class,
                Map.of(
                    WorkerProcess.STORE, ground.store().name(),
                    WorkerProcess.URL, ground.site().url(proxy.port())))) {
      worker.say(
          String.join(
              "\t",
              "hold",
              contender.label(),
              "" + ground.scale().leases(),
              "" + ground.scale().taking().toMillis()));
      double[] held = WorkerAnswers.of(worker, "held");
      Rest first = rest(worker, proxy);
      worker.say("churn\t" + contender.label() + "\t" + 10 * ground.scale().slice().toMillis());
      WorkerAnswers.of(worker, "churned");
      Rest second = rest(worker, proxy);
      Map<Metric, Double> figures = new LinkedHashMap<>();
      figures.put(Metric.RENEWING, first.requests());
      figures.put(Metric.PROCESSOR, first.processor());
      figures.put(Metric.RENEWING_LATER, second.requests());
      figures.put(Metric.PROCESSOR_LATER, second.processor());
      figures.put(Metric.TAKEN, held[0]);
      figures.put(Metric.TAKING, held[1]);
      figures.put(Metric.THREADS, held[2]);
      figures.put(Metric.HEAP, held[3]);
      return figures;
    }
  }

  /** The requests and the processor time of an idle second. */
  private record Rest(double requests, double processor) {}

  private Rest rest(JavaProcess worker, CountingProxy proxy) {
    // A third of the ttl of 30 s is the time between two renewals: two of them are counted.
    long millis = 2 * ground.scale().window().toMillis();
    long before = proxy.requests();
    worker.say("rest\t" + millis);
    double[] rested = WorkerAnswers.of(worker, "rested");
    double seconds = millis / 1000.0;
    return new Rest((proxy.requests() - before) / seconds, rested[0] / seconds);
  }

  @Override
  public void close() {}
}
