package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two clients take turns at one lock, each waiting while the other holds it. How long it is held is
 * random, up to 250 ms, so that a client that polls is met at another point of its interval each
 * time.
 */
final class HandOff implements Trial {

  static final Workload WORKLOAD =
      Workload.of(
              "hand-off",
              "Hand-off to a waiter in another client",
              Contender::competes,
              HandOff::new)
          .oneRoundFor(3);

  private static final int SHORTEST_MILLIS = 10; // time enough to queue
  private static final int LONGEST_MILLIS = 250;

  private final Scale scale;
  private final Side one;
  private final Side other;

  private HandOff(TestBed ground, Contender contender) throws Exception {
    scale = ground.scale();
    one = new Side(contender, ground.site().url());
    other = new Side(contender, ground.site().url());
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    List<Long> nanos = new ArrayList<>();
    Side holder = one;
    Side waiter = other;
    holder.acquire().get();
    long end = System.nanoTime() + scale.handOffs().toNanos();
    while (System.nanoTime() - end < 0) {
      Future<Long> acquired = waiter.acquire();
      Thread.sleep(ThreadLocalRandom.current().nextInt(SHORTEST_MILLIS, LONGEST_MILLIS));
      long released = holder.release().get();
      nanos.add(acquired.get() - released);
      Side next = holder;
      holder = waiter;
      waiter = next;
    }
    holder.release().get();
    nanos.sort(null);
    return Map.of(Metric.HAND_OFF, nanos.get(nanos.size() / 2) / 1e6);
  }

  @Override
  public void close() throws Exception {
    one.close();
    other.close();
  }

  /** A client with one thread. */
  private static final class Side implements AutoCloseable {
    private final Client client;
    private final Mutex mutex;
    private final ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread daemon = new Thread(task, "bench-side");
              daemon.setDaemon(true);
              return daemon;
            });

    // Mutable state, of the thread alone
    private Mutex.Hold hold = () -> {};

    Side(Contender contender, String url) throws Exception {
      client = contender.open(url);
      mutex = client.mutex("hand-off/" + contender.label());
    }

    /** When it has the lock. */
    Future<Long> acquire() {
      return thread.submit(
          () -> {
            hold = mutex.acquire();
            return System.nanoTime();
          });
    }

    /** When it began to release it. */
    Future<Long> release() {
      return thread.submit(
          () -> {
            long begun = System.nanoTime();
            hold.release();
            return begun;
          });
    }

    @Override
    public void close() throws Exception {
      thread.shutdownNow();
      client.close();
    }
  }
}
