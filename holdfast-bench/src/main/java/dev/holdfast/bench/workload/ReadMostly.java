package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import dev.holdfast.bench.worker.Turns;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Sixteen threads of one client read, and one time in twenty write. */
final class ReadMostly implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
          "read-mostly",
          "Read-write lock, 16 threads, one write in 20",
          contender -> contender.gives(Feature.READ_WRITE) && contender.competes(),
          ReadMostly::new);

  private static final int THREADS = 16;
  private static final int WRITES_ONE_IN = 20;

  private final Scale scale;
  private final Client client;
  private final Mutex mixed;
  private final Threads threads = new Threads(THREADS);

  private ReadMostly(TestBed ground, Contender contender) throws Exception {
    scale = ground.scale();
    client = contender.open(ground.site().url());
    Mutex reading = client.readLock("read-mostly/" + contender.label());
    Mutex writing = client.writeLock("read-mostly/" + contender.label());
    mixed =
        () ->
            ThreadLocalRandom.current().nextInt(WRITES_ONE_IN) == 0
                ? writing.acquire()
                : reading.acquire();
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    return Map.of(Metric.RATE, Turns.take(threads, i -> mixed, scale.slice(), null).rate());
  }

  @Override
  public void close() throws Exception {
    threads.close();
    client.close();
  }
}
