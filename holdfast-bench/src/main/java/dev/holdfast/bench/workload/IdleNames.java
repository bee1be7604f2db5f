package dev.holdfast.bench.workload;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Site;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.HoldfastClient;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * What an acquisition costs when the store remembers very many other locks: one server has seen
 * them, another has not, and Holdfast runs on both in turn.
 */
public final class IdleNames implements Workload {

  /** What runs on the server that remembers none. */
  public static final String EMPTY = "Holdfast";

  /** What runs on the other. */
  public static final String FULL = "Holdfast among idle locks";

  private static final int UNDER_WAY = 200;

  @Override
  public String name() {
    return "idle-names";
  }

  @Override
  public String title() {
    return "One thread, uncontended, among 1,000,000 idle locks";
  }

  @Override
  public List<Entry> entries(Ground ground) {
    return List.of(
        new Entry(EMPTY, () -> new Session(ground, 0)),
        new Entry(FULL, () -> new Session(ground, ground.scale().idleNames())));
  }

  private static final class Session implements Trial {
    private final Scale scale;
    private final Site site;
    private final Client client;
    private final Threads one = new Threads(1);

    Session(Ground ground, int names) throws Exception {
      scale = ground.scale();
      site = ground.store().start();
      fill(site.url(), names);
      client = HoldfastClient.BY_DEFAULT.open(site.url());
    }

    /** Uses each lock once. */
    private static void fill(String url, int names) throws InterruptedException {
      Semaphore free = new Semaphore(UNDER_WAY);
      try (Holdfast locks = Holdfast.connect(url)) {
        for (int i = 0; i < names; i++) {
          free.acquire();
          var unused =
              locks
                  .lock("idle/" + i)
                  .acquireAsync()
                  .thenAccept(lease -> lease.close())
                  .whenComplete((done, failure) -> free.release());
        }
        free.acquire(UNDER_WAY);
      }
    }

    @Override
    public Map<Metric, Double> measure() throws Exception {
      return Map.of(
          Metric.RATE,
          Turns.take(one, i -> client.mutex("idle-names"), scale.slice(), null).rate());
    }

    @Override
    public void close() throws Exception {
      one.close();
      client.close();
      site.close();
    }
  }
}
