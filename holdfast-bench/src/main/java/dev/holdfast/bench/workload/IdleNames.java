package dev.holdfast.bench.workload;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.RunningServer;
import dev.holdfast.bench.worker.Threads;
import dev.holdfast.bench.worker.Turns;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What an acquisition costs when the store remembers very many other locks: one server has seen
 * them, another has not, and Holdfast runs on both in turn.
 */
public final class IdleNames implements Trial {

  /** What runs on the server that remembers none. */
  public static final String EMPTY = HoldfastClient.WITHOUT_HAND_OFF.label();

  /** What runs on the other. */
  public static final String FULL = EMPTY + ", among idle locks";

  static final Workload WORKLOAD =
      Workload.of(
          "idle-names",
          "One thread, uncontended, among very many idle locks",
          ground ->
              List.of(
                  new Participant(EMPTY, () -> new IdleNames(ground, 0)),
                  new Participant(FULL, () -> new IdleNames(ground, ground.scale().idleNames()))));

  private static final int UNDER_WAY = 200;

  private final Scale scale;
  private final RunningServer site;
  private final Client client;
  private final Threads one = new Threads(1);

  private IdleNames(TestBed ground, int names) throws Exception {
    scale = ground.scale();
    site = ground.store().start();
    fill(site.url(), names);
    client = HoldfastClient.WITHOUT_HAND_OFF.open(site.url());
  }

  /** Uses each lock once. */
  private static void fill(String url, int names) throws InterruptedException {
    Semaphore free = new Semaphore(UNDER_WAY);
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    try (Holdfast locks = Holdfast.connect(url)) {
      for (int i = 0; i < names; i++) {
        free.acquire();
        locks
            .lock("idle/" + i)
            .acquireAsync()
            .thenAccept(Lease::close)
            .whenComplete(
                (done, failure) -> {
                  failed.compareAndSet(null, failure);
                  free.release();
                });
      }
      free.acquire(UNDER_WAY);
    }
    if (failed.get() != null) {
      throw new IllegalStateException("the store could not be filled", failed.get());
    }
  }

  @Override
  public Map<Metric, Double> measure() throws Exception {
    return Map.of(
        Metric.RATE, Turns.take(one, i -> client.mutex("idle-names"), scale.slice(), null).rate());
  }

  @Override
  public void close() throws Exception {
    one.close();
    client.close();
    site.close();
  }
}
