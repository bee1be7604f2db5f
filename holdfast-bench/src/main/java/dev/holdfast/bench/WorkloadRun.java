package dev.holdfast.bench;

import dev.holdfast.bench.report.Results;
import dev.holdfast.bench.report.Results.Failure;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Participant;
import dev.holdfast.bench.workload.TestBed;
import dev.holdfast.bench.workload.Trial;
import dev.holdfast.bench.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One workload on one store. In each round every contender has one short slice, in another order
 * than in the round before, so that load of the machine affects all alike. A contender that fails
 * is left out from then on.
 */
final class WorkloadRun {

  /** No slice needs as long as this. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A store may have to be filled first. */
  private static final Duration PATIENCE_AT_FIRST = Duration.ofMinutes(45);

  private final TestBed ground;
  private final Workload workload;
  private final List<Participant> entries;
  private final Progress progress;
  private final Results results;

  // Mutable state
  private final Map<Participant, Trial> ready = new LinkedHashMap<>();

  WorkloadRun(
      TestBed ground,
      Workload workload,
      List<Participant> entries,
      Progress progress,
      Results results) {
    this.ground = ground;
    this.workload = workload;
    this.entries = entries;
    this.progress = progress;
    this.results = results;
  }

  int steps() {
    return entries.size() * rounds();
  }

  void measure(Duration warmUp) {
    List<Participant> left = new ArrayList<>(entries);
    if (workload.together()) {
      left.removeIf(entry -> !warmUp(entry, warmUp));
    }
    for (int round = 0; round < rounds(); round++) {
      int number = round;
      Collections.rotate(left, 1);
      left.removeIf(entry -> !slice(entry, number));
    }
    ready.values().forEach(this::close);
  }

  private int rounds() {
    return workload.rounds(ground.scale());
  }

  /** Opens it, and lets it run for a while that does not count. */
  private boolean warmUp(Participant entry, Duration time) {
    progress.begin(title(), entry.label() + " (warming up)");
    try {
      ready.put(entry, TimeLimit.call(PATIENCE_AT_FIRST, entry.opening()));
      long end = System.nanoTime() + time.toNanos();
      do {
        figures(entry);
      } while (System.nanoTime() - end < 0);
      return true;
    } catch (Exception e) {
      return failed(entry, e);
    }
  }

  private boolean slice(Participant entry, int round) {
    progress.begin(title(), entry.label());
    try {
      results.add(
          new Sample(ground.store().name(), workload.name(), entry.label(), round, figures(entry)));
      return true;
    } catch (Exception e) {
      return failed(entry, e);
    } finally {
      progress.end();
    }
  }

  private Map<Metric, Double> figures(Participant entry) throws Exception {
    Trial open = ready.get(entry);
    return TimeLimit.call(
        PATIENCE,
        () -> {
          if (open != null) {
            return open.measure();
          }
          try (Trial trial = entry.opening().call()) {
            return trial.measure();
          }
        });
  }

  private boolean failed(Participant entry, Exception failure) {
    String message = failure.getMessage();
    String why = message == null ? failure.toString() : message.lines().findFirst().orElse("");
    progress.say(title() + ": " + entry.label() + " failed: " + why);
    results.add(new Failure(ground.store().name(), workload.name(), entry.label(), why));
    return false;
  }

  private void close(Trial trial) {
    try {
      TimeLimit.call(
          PATIENCE,
          () -> {
            trial.close();
            return true;
          });
    } catch (Exception e) {
      progress.say(title() + ": could not be closed: " + e);
    }
  }

  private String title() {
    return ground.store().name() + ", " + workload.name();
  }
}
