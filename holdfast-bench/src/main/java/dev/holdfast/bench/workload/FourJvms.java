package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.worker.Turns;
import dev.holdfast.bench.worker.WorkerAnswers;
import dev.holdfast.bench.worker.WorkerProcess;
import dev.holdfast.testkit.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Four processes with four threads each want the same lock. The same four serve all contenders;
 * they are started for the first and ended with the last.
 */
final class FourJvms {

  static final Workload WORKLOAD =
      Workload.of("jvms", "4 JVMs × 4 threads on one lock", FourJvms::entries).oneRoundFor(2);

  private static final int JVMS = 4;
  private static final int THREADS = 4;

  private final TestBed ground;

  // Mutable state
  private final List<JavaProcess> workers = new ArrayList<>();
  private int users;

  private FourJvms(TestBed ground) {
    this.ground = ground;
  }

  private static List<Participant> entries(TestBed ground) {
    FourJvms processes = new FourJvms(ground);
    return ground.store().contenders().stream()
        .filter(Contender::waits)
        .map(Contender::label)
        .map(label -> new Participant(label, () -> processes.open(label)))
        .toList();
  }

  private Trial open(String contender) throws Exception {
    if (users++ == 0) {
      Map<String, String> environment =
          Map.of(
              WorkerProcess.STORE, ground.store().name(), WorkerProcess.URL, ground.site().url());
      for (int i = 0; i < JVMS; i++) {
        workers.add(JavaProcess.start(WorkerProcess.class, environment));
      }
    }
    workers.forEach(worker -> worker.say("open\t" + contender));
    WorkerAnswers.of(workers, "opened");
    Path file = Files.createTempFile("holdfast-bench", ".witness");
    return new Trial() {
      @Override
      public Map<Metric, Double> measure() {
        return turns(contender, file);
      }

      @Override
      public void close() throws Exception {
        Files.delete(file);
        leave();
      }
    };
  }

  private Map<Metric, Double> turns(String contender, Path file) {
    // Long enough that a client that hands a lock off within its process for a tenth of a second
    // has to release it several times.
    long millis = 4 * ground.scale().slice().toMillis();
    long begin = System.currentTimeMillis() + Turns.MARGIN_MILLIS;
    String order =
        String.join("\t", "turns", contender, "" + THREADS, "" + begin, "" + millis, "" + file);
    workers.forEach(worker -> worker.say(order));
    List<double[]> answers = WorkerAnswers.of(workers, "turns");
    double all = answers.stream().mapToDouble(answer -> answer[0]).sum();
    double fewest = answers.stream().mapToDouble(answer -> answer[0]).min().orElse(0);
    double violations = answers.stream().mapToDouble(answer -> answer[1]).sum();
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.RATE, all * 1000 / millis);
    figures.put(Metric.JVM_SHARE, fewest * JVMS / Math.max(1, all));
    figures.put(Metric.VIOLATIONS, violations);
    return figures;
  }

  private void leave() {
    if (--users == 0) {
      workers.forEach(JavaProcess::close);
      workers.clear();
    }
  }
}
