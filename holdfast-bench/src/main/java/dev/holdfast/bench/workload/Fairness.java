package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.worker.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/** Clients with 1, 2 and 8 threads want the same lock all the time: who gets it how often? */
final class Fairness implements Trial {

  /** The lock is held for 5 ms at a time. */
  static final Workload WORKLOAD = holding("fairness", 5);

  /** The same with shorter holds. */
  static final Workload SHORT_HOLDS = holding("fairness-1ms", 1);

  private static final List<Integer> THREADS = List.of(1, 2, 8);

  private final Duration time;
  private final int holdMillis;
  private final List<Rival> rivals = new ArrayList<>();

  private Fairness(TestBed ground, Contender contender, int holdMillis) throws Exception {
    this.time = ground.scale().handOffs();
    this.holdMillis = holdMillis;
    for (int threads : THREADS) {
      Client client = contender.open(ground.site().url());
      Mutex mutex = client.mutex("fairness/" + holdMillis + "/" + contender.label());
      rivals.add(new Rival(client, mutex, new Threads(threads)));
    }
  }

  private static Workload holding(String name, int millis) {
    return Workload.of(
            name,
            "Clients with 1, 2 and 8 threads on one lock, held for " + millis + " ms",
            contender -> contender.isHoldfast() || contender.gives(Feature.FAIR),
            (ground, contender) -> new Fairness(ground, contender, millis))
        .oneRoundFor(3);
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    List<List<Future<Share>>> running = new ArrayList<>();
    for (Rival rival : rivals) {
      running.add(rival.threads().start(i -> () -> takeTurns(rival.mutex(), end)));
    }
    List<Share> shares = new ArrayList<>();
    for (List<Future<Share>> threads : running) {
      shares.add(Threads.results(threads).stream().reduce(Share.NONE, Share::plus));
    }
    return figures(shares, (System.nanoTime() - start) / 1e9);
  }

  private Share takeTurns(Mutex mutex, long end) throws Exception {
    Share share = Share.NONE;
    while (System.nanoTime() - end < 0) {
      long asked = System.nanoTime();
      Mutex.Hold hold = mutex.acquire();
      long waited = System.nanoTime() - asked;
      Thread.sleep(holdMillis);
      hold.release();
      share = share.plus(new Share(1, waited));
    }
    return share;
  }

  private static Map<Metric, Double> figures(List<Share> shares, double seconds) {
    long most = shares.stream().mapToLong(Share::turns).max().orElse(0);
    long fewest = shares.stream().mapToLong(Share::turns).min().orElse(0);
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.CLIENT_SPREAD, (double) most / Math.max(1, fewest));
    for (int i = 0; i < shares.size(); i++) {
      figures.put(Metric.turnsOf(THREADS.get(i)), shares.get(i).turns() / seconds);
    }
    for (int i = 0; i < shares.size(); i++) {
      figures.put(Metric.longestWaitOf(THREADS.get(i)), shares.get(i).longestWait() / 1e6);
    }
    return figures;
  }

  @Override
  public void close() throws Exception {
    for (Rival rival : rivals) {
      rival.threads().close();
      rival.client().close();
    }
  }

  /** One client with its threads. */
  private record Rival(Client client, Mutex mutex, Threads threads) {}

  /** The turns that threads had, and the longest that one of them waited for its own, in ns. */
  private record Share(long turns, long longestWait) {
    static final Share NONE = new Share(0, 0);

    Share plus(Share other) {
      return new Share(turns + other.turns, Math.max(longestWait, other.longestWait));
    }
  }
}
