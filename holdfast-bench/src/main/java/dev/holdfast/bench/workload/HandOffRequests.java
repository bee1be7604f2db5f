package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * What it costs the server that a lock goes from client to client while others wait, too: all come
 * back for the lock as soon as they have had it, and hold it for up to 20 ms. What threads of one
 * client hand to each other is no turn between clients.
 */
record HandOffRequests(TestBed ground, Contender contender) implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
              "requests",
              "Requests at the server per turn between clients",
              Contender::waits,
              HandOffRequests::new)
          .oneByOne()
          .comparesNobody();

  private static final int LONGEST_MILLIS = 20;

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Map<Metric, Double> figures = new LinkedHashMap<>();
    for (int waiting : ground.scale().waiters()) {
      measure(waiting, figures);
    }
    return figures;
  }

  private void measure(int waiting, Map<Metric, Double> figures) throws Exception {
    int all = waiting + 1; // one of them holds it
    int count = Math.min(all, ground.scale().clients());
    try (CountedClients clients = new CountedClients(ground, contender, count);
        Threads threads = new Threads(all)) {
      List<Mutex> mutexes = clients.mutexes("requests/" + contender.label() + "/" + waiting, all);
      Counts counts = new Counts();
      long start = System.nanoTime();
      long window = ground.scale().handOffs().toNanos();
      List<Future<Boolean>> running =
          threads.start(
              i -> () -> takeTurns(mutexes.get(i), i % count, counts, start + 2 * window));
      sleepUntil(start + window); // by then all have queued
      long requestsBefore = clients.requests();
      long turnsBefore = counts.turns.sum();
      long acquisitionsBefore = counts.acquisitions.sum();
      sleepUntil(start + 2 * window);
      double requests = clients.requests() - requestsBefore;
      double turns = Math.max(1, counts.turns.sum() - turnsBefore);
      double acquisitions = counts.acquisitions.sum() - acquisitionsBefore;
      Threads.results(running);
      figures.put(Metric.perTurn(waiting), requests / turns);
      figures.put(Metric.acquisitionsPerTurn(waiting), acquisitions / turns);
    }
  }

  private static boolean takeTurns(Mutex mutex, int client, Counts counts, long end)
      throws Exception {
    while (System.nanoTime() - end < 0) {
      Mutex.Hold hold = mutex.acquire();
      counts.acquiredBy(client);
      Thread.sleep(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS));
      hold.release();
    }
    return true;
  }

  private static void sleepUntil(long time) throws InterruptedException {
    Thread.sleep(Math.max(0, (time - System.nanoTime()) / 1_000_000));
  }

  @Override
  public void close() {}

  /** Counted by the holders, one at a time. */
  private static final class Counts {
    private final AtomicInteger last = new AtomicInteger(-1);
    private final LongAdder turns = new LongAdder();
    private final LongAdder acquisitions = new LongAdder();

    void acquiredBy(int client) {
      acquisitions.increment();
      if (last.getAndSet(client) != client) {
        turns.increment();
      }
    }
  }
}
