package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Contender.Role;
import dev.holdfast.bench.contender.Mutex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Some threads of one client, each on a lock of its own or all on one. */
public record Crowd(String name, String title, int threads, boolean oneLock) implements Workload {

  /** What an acquisition costs that nobody disturbs. */
  public static final Workload UNCONTENDED =
      new Crowd("uncontended", "One thread, uncontended", 1, false);

  /** What a client can do for many threads. */
  public static final Workload MANY_LOCKS =
      new Crowd("many-locks", "16 threads on 16 locks", 16, false);

  /** How threads of one client share a lock. */
  public static final Workload ONE_LOCK =
      new Crowd("one-lock", "16 threads on one lock, in one JVM", 16, true);

  @Override
  public List<Entry> entries(Ground ground) {
    return ground.entries(this::admits, contender -> new Session(ground, contender));
  }

  /** The floor waits for nobody, and a lock of one's own is never passed on. */
  private boolean admits(Contender contender) {
    return oneLock ? contender.role() != Role.FLOOR : contender.role() != Role.VARIANT;
  }

  private final class Session implements Trial {
    private final Client client;
    private final Scale scale;
    private final List<Mutex> locks;
    private final Threads crowd = new Threads(threads);
    private final @Nullable Path file;
    private final @Nullable Witness witness;

    Session(Ground ground, Contender contender) throws Exception {
      scale = ground.scale();
      client = contender.open(ground.site().url());
      String prefix = name + "/" + contender.label() + "/";
      locks =
          IntStream.range(0, threads)
              .mapToObj(i -> client.mutex(prefix + (oneLock ? 0 : i)))
              .toList();
      file = oneLock ? Files.createTempFile("holdfast-bench", ".witness") : null;
      witness = file == null ? null : new Witness(file);
    }

    @Override
    public Map<Metric, Double> measure() throws Exception {
      Turns turns = Turns.take(crowd, locks::get, scale.slice(), witness);
      Map<Metric, Double> figures = new LinkedHashMap<>();
      figures.put(Metric.RATE, turns.rate());
      figures.put(Metric.PROCESSOR_EACH, turns.processorEach());
      if (witness != null) {
        figures.put(Metric.SPREAD, turns.spread());
        figures.put(Metric.VIOLATIONS, (double) witness.violations());
      }
      return figures;
    }

    @Override
    public void close() throws Exception {
      crowd.close();
      client.close();
      if (file != null) {
        Files.delete(file);
      }
    }
  }
}
