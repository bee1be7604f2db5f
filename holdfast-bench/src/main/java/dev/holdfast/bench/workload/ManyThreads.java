package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.ClientCost;
import dev.holdfast.bench.worker.ExclusionCheck;
import dev.holdfast.bench.worker.Threads;
import dev.holdfast.bench.worker.Turns;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Some threads of one client, each on its own lock or all on one. */
final class ManyThreads implements Trial {

  /** The cost of an uncontended acquisition that asks the server. */
  static final Workload UNCONTENDED =
      Workload.of(
          "uncontended",
          "One thread, uncontended, no kept claims",
          Contender::asks,
          (ground, contender) -> onLocksOfTheirOwn(ground, contender, 1));

  /** What a client can do for many threads. */
  static final Workload MANY_LOCKS =
      Workload.of(
          "many-locks",
          "16 threads on 16 locks, no kept claims",
          Contender::asks,
          (ground, contender) -> onLocksOfTheirOwn(ground, contender, 16));

  /** How threads of one client share a lock, with a check of exclusion. */
  static final Workload ONE_LOCK =
      Workload.of(
          "one-lock",
          "16 threads on one lock, in one JVM",
          Contender::waitsAlone,
          (ground, contender) -> onOneLock(ground, contender, 16));

  private final Scale scale;
  private final Client client;
  private final List<Mutex> locks;
  private final Threads threads;
  private final @Nullable Path file;
  private final @Nullable ExclusionCheck witness;

  private ManyThreads(
      TestBed ground,
      Contender contender,
      int threads,
      IntFunction<String> names,
      @Nullable Path file)
      throws Exception {
    this.scale = ground.scale();
    this.client = contender.open(ground.site().url());
    this.locks =
        IntStream.range(0, threads)
            .mapToObj(i -> client.mutex("crowd/" + threads + "/" + names.apply(i)))
            .toList();
    this.threads = new Threads(threads);
    this.file = file;
    this.witness = file == null ? null : new ExclusionCheck(file);
  }

  private static Trial onLocksOfTheirOwn(TestBed ground, Contender contender, int threads)
      throws Exception {
    return new ManyThreads(ground, contender, threads, i -> contender.label() + "/" + i, null);
  }

  private static Trial onOneLock(TestBed ground, Contender contender, int threads)
      throws Exception {
    Path file = Files.createTempFile("holdfast-bench", ".witness");
    return new ManyThreads(ground, contender, threads, i -> contender.label() + "/one", file);
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Turns turns = Turns.take(threads, locks::get, scale.slice(), witness);
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.RATE, turns.rate());
    ClientCost each = turns.costEach();
    figures.put(Metric.PROCESSOR_EACH, each.processorMicros());
    figures.put(Metric.BYTES_EACH, each.bytes());
    figures.put(Metric.SLEEPS_EACH, each.sleeps());
    if (witness != null) {
      figures.put(Metric.SPREAD, turns.spread());
      figures.put(Metric.VIOLATIONS, (double) witness.violations());
    }
    return figures;
  }

  @Override
  public void close() throws Exception {
    threads.close();
    client.close();
    if (file != null) {
      Files.delete(file);
    }
  }
}
