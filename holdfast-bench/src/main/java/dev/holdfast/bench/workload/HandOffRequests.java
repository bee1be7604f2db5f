package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a hand-off costs the server while others wait, too: all come back for the lock as soon as
 * they have had it, and hold it for up to 20 ms.
 */
record HandOffRequests(TestBed ground, Contender contender) implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
              "requests",
              "Requests at the server per hand-off",
              Contender::waits,
              HandOffRequests::new)
          .oneByOne();

  private static final int LONGEST_MILLIS = 20;

  @Override
  public Map<Metric, Double> measure() throws Exception {
    Map<Metric, Double> figures = new LinkedHashMap<>();
    for (int waiting : ground.scale().waiters()) {
      figures.put(Metric.perHandOff(waiting), requestsEach(waiting));
    }
    return figures;
  }

  private double requestsEach(int waiting) throws Exception {
    int all = waiting + 1; // one of them holds it
    try (CountedClients clients =
            new CountedClients(ground, contender, Math.min(all, ground.scale().clients()));
        Threads threads = new Threads(all)) {
      List<Mutex> mutexes = clients.mutexes("requests/" + contender.label() + "/" + waiting, all);
      LongAdder turns = new LongAdder();
      long start = System.nanoTime();
      long window = ground.scale().handOffs().toNanos();
      List<Future<Boolean>> running =
          threads.start(i -> () -> takeTurns(mutexes.get(i), turns, start + 2 * window));
      sleepUntil(start + window); // by then all have queued
      long requestsBefore = clients.requests();
      long turnsBefore = turns.sum();
      sleepUntil(start + 2 * window);
      double requests = clients.requests() - requestsBefore;
      double handOffs = turns.sum() - turnsBefore;
      Threads.results(running);
      return requests / Math.max(1, handOffs);
    }
  }

  private static boolean takeTurns(Mutex mutex, LongAdder turns, long end) throws Exception {
    while (System.nanoTime() - end < 0) {
      Mutex.Hold hold = mutex.acquire();
      turns.increment();
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
}
