package dev.holdfast.bench;

import dev.holdfast.bench.report.Results;
import dev.holdfast.bench.workload.Entry;
import dev.holdfast.bench.workload.Ground;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.Trial;
import dev.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Measures: on each store each workload, in rounds; in each round every contender has one short
 * slice, in another order than in the round before. What the machine does meanwhile so hits all of
 * them alike. Who fails is left out from then on, and the report says so.
 */
final class Run {

  /** A peer that hangs must not stop the others; none needs as long as this. */
  private static final long PATIENCE_SECONDS = 300;

  private final Scale scale;
  private final Set<String> contenders;
  private final Progress progress;
  private final Results results = new Results();

  /** A run with these contenders; with all if none is named. */
  Run(Scale scale, Set<String> contenders, Progress progress) {
    this.scale = scale;
    this.contenders = contenders;
    this.progress = progress;
  }

  Results results() {
    return results;
  }

  /** Measures all of these on one store. */
  void on(Store store, Site site, List<Workload> chosen) {
    Ground ground = new Ground(store, site, scale);
    List<Workload> workloads =
        chosen.stream().filter(workload -> store.offers(workload.name())).toList();
    for (Workload workload : workloads) {
      progress.expect(entries(workload, ground).size() * workload.rounds(scale));
    }
    for (Workload workload : workloads) {
      new Chapter(store, workload).measure(entries(workload, ground));
    }
  }

  private List<Entry> entries(Workload workload, Ground ground) {
    return workload.entries(ground).stream()
        .filter(entry -> contenders.isEmpty() || contenders.contains(entry.label()))
        .toList();
  }

  /** One workload on one store. */
  private final class Chapter {
    private final Store store;
    private final Workload workload;
    private final Map<Entry, Trial> open = new LinkedHashMap<>();

    Chapter(Store store, Workload workload) {
      this.store = store;
      this.workload = workload;
    }

    void measure(List<Entry> entries) {
      List<Entry> left = new ArrayList<>(entries);
      if (workload.opensAll()) {
        left.removeIf(entry -> !warmUp(entry));
      }
      for (int round = 0; round < workload.rounds(scale); round++) {
        int number = round;
        Collections.rotate(left, 1);
        left.removeIf(entry -> !slice(entry, number));
      }
      open.values().forEach(this::close);
    }

    /** Opens it, and lets it run for a while that does not count. */
    private boolean warmUp(Entry entry) {
      progress.begin(chapter(), entry.label() + " (warming up)");
      return attempt(
          entry,
          () -> {
            Trial trial = entry.opening().call();
            open.put(entry, trial);
            long end = System.nanoTime() + scale.warmUp().toNanos();
            do {
              trial.measure();
            } while (System.nanoTime() - end < 0);
            return trial;
          });
    }

    private boolean slice(Entry entry, int round) {
      progress.begin(chapter(), entry.label());
      boolean done =
          attempt(
              entry,
              () -> {
                Map<Metric, Double> figures = figures(entry);
                results.add(
                    new Results.Sample(
                        store.name(), workload.name(), entry.label(), round, figures));
                return figures;
              });
      progress.end();
      return done;
    }

    private Map<Metric, Double> figures(Entry entry) throws Exception {
      Trial ready = open.get(entry);
      if (ready != null) {
        return ready.measure();
      }
      try (Trial trial = entry.opening().call()) {
        return trial.measure();
      }
    }

    private boolean attempt(Entry entry, Callable<?> task) {
      try {
        within(task);
        return true;
      } catch (Exception e) {
        String why = String.valueOf(e.getMessage() == null ? e : e.getMessage());
        progress.say(chapter() + ": " + entry.label() + " failed: " + why);
        results.add(
            new Results.Failure(
                store.name(), workload.name(), entry.label(), why.lines().findFirst().orElse("")));
        return false;
      }
    }

    private void close(Trial trial) {
      try {
        within(
            () -> {
              trial.close();
              return true;
            });
      } catch (Exception e) {
        progress.say(chapter() + ": could not be closed: " + e);
      }
    }

    private String chapter() {
      return store.name() + ", " + workload.name();
    }
  }

  /** On a thread of its own, because no library can be trusted to end. */
  private static void within(Callable<?> task) throws Exception {
    FutureTask<?> future = new FutureTask<>(task);
    Thread thread = new Thread(future, "bench-slice");
    thread.setDaemon(true);
    thread.start();
    try {
      future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new TimeoutException("not done after " + PATIENCE_SECONDS + " s");
    }
  }
}
