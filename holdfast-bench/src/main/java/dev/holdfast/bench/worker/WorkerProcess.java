package dev.holdfast.bench.worker;

import dev.holdfast.bench.catalogue.Catalogue;
import dev.holdfast.bench.catalogue.LibraryLogs;
import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Mutex;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Another process of a workload. It reads one order per line, and answers each with a line:
 *
 * <pre>
 * open CONTENDER                      opened
 * turns CONTENDER THREADS BEGIN MILLIS FILE
 *                                     turns COUNT VIOLATIONS
 * hold CONTENDER COUNT MILLIS         held COUNT SECONDS THREADS BYTES
 * rest MILLIS                         rested CPU_MILLIS
 * churn CONTENDER MILLIS              churned
 * </pre>
 *
 * Turns begin at once, and count from BEGIN on, which is in ms since 1970: so all workers count in
 * the same time. The words of a line are separated by tabs. The store and its URL are in the
 * environment.
 */
public final class WorkerProcess {

  public static final String STORE = "HOLDFAST_BENCH_STORE";
  public static final String URL = "HOLDFAST_BENCH_URL";

  private static final int CHURNERS = 8;
  private static final int CHURNED = 1000;

  private final String store;
  private final String url;

  // Mutable state
  private final Map<String, Client> clients = new HashMap<>();
  private final Map<Integer, Threads> threads = new HashMap<>();

  private WorkerProcess(String store, String url) {
    this.store = store;
    this.url = url;
  }

  /** Carries out orders until its input ends. */
  public static void main(String[] args) throws Exception {
    LibraryLogs.logs();
    WorkerProcess worker = new WorkerProcess(System.getenv(STORE), System.getenv(URL));
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      String answer;
      try {
        answer = worker.carryOut(order.split("\t"));
      } catch (Exception e) {
        answer = WorkerAnswers.FAILED + "\t" + String.valueOf(e).replaceAll("\\s+", " ");
      }
      System.out.println(answer);
    }
    System.exit(0);
  }

  private String carryOut(String[] order) throws Exception {
    return switch (order[0]) {
      case "open" -> {
        client(order[1]);
        yield "opened";
      }
      case "turns" -> turns(order);
      case "hold" ->
          new LeaseTaker(client(order[1]), "lease/" + order[1] + "/")
              .take(Integer.parseInt(order[2]), Duration.ofMillis(Long.parseLong(order[3])));
      case "rest" -> LeaseTaker.rest(Duration.ofMillis(Long.parseLong(order[1])));
      case "churn" -> {
        churn(order[1], Duration.ofMillis(Long.parseLong(order[2])));
        yield "churned";
      }
      default -> throw new IllegalArgumentException(order[0]);
    };
  }

  private String turns(String[] order) throws Exception {
    ExclusionCheck witness = new ExclusionCheck(Path.of(order[5]));
    Mutex mutex = client(order[1]).mutex("jvms/" + order[1]);
    long untilBegin = Long.parseLong(order[3]) - System.currentTimeMillis();
    long begin = System.nanoTime() + untilBegin * 1_000_000;
    long end = begin + Long.parseLong(order[4]) * 1_000_000;
    Threads workers = threads(Integer.parseInt(order[2]));
    long count = 0;
    for (long each :
        Threads.results(workers.start(i -> () -> Turns.takeBetween(mutex, begin, end, witness)))) {
      count += each;
    }
    return String.join("\t", "turns", "" + count, "" + witness.violations());
  }

  /**
   * Not waited for to the end: a contender that could not take all leases may be stuck here, too.
   */
  private void churn(String contender, Duration time) throws Exception {
    Client client = client(contender);
    for (Future<Boolean> one :
        threads(CHURNERS)
            .start(
                i ->
                    () -> {
                      String prefix = "churn/" + contender + "/" + i + "/";
                      return churn(client, prefix, System.nanoTime() + time.toNanos());
                    })) {
      try {
        one.get(2 * time.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException stuck) {
        one.cancel(true);
      }
    }
  }

  /** In turn on many locks: none comes back soon, so no claim is kept. */
  private static boolean churn(Client client, String prefix, long end) throws Exception {
    for (int i = 0; System.nanoTime() - end < 0; i++) {
      client.mutex(prefix + i % CHURNED).acquire().release();
    }
    return true;
  }

  private Threads threads(int count) {
    return threads.computeIfAbsent(count, Threads::new);
  }

  private Client client(String contender) throws Exception {
    Client client = clients.get(contender);
    if (client == null) {
      client = Catalogue.store(store).contender(contender).open(url);
      clients.put(contender, client);
    }
    return client;
  }
}
