package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.History;
import dev.holdfast.testkit.History.Event;
import dev.holdfast.testkit.History.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Fifty clients of one store, each with its own connections, that hold and wait while the database
 * goes away and comes back. Five of them hold a lock each and keep it; the others contend for five
 * more.
 */
final class OutageScene implements AutoCloseable {

  private static final int KEEPERS = 5;
  private static final int CONTENDERS = 45;

  // Half of the ttl is margin: the end of a lease may be recorded that late.
  private static final Duration VALID = Duration.ofSeconds(5);
  private static final LockOptions OPTIONS =
      LockOptions.defaults()
          .ttl(Duration.ofSeconds(10))
          .validFor(VALID)
          .renewEvery(Duration.ofSeconds(1));
  private static final Duration OPERATION = Duration.ofSeconds(3);

  /** How long an attempt to get a lock may take; much more than it should, for a busy machine. */
  private static final Duration LONGEST_ATTEMPT = OutageClient.WAIT.plus(OPERATION).plusSeconds(20);

  private final Ticker ticker = Ticker.system("outage-history");
  private final History history = new History("outage", ticker);
  private final Fence fence = Fence.inMemory();
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<OutageClient> clients;
  private final List<Thread> threads = new ArrayList<>();

  OutageScene(String url) {
    clients =
        IntStream.range(0, KEEPERS + CONTENDERS).mapToObj(number -> client(url, number)).toList();
  }

  /** Sends the database away for longer than a lease is valid, and has it come back. */
  void survives(Step goAway, Step comeBack) throws Exception {
    start();
    goAway.run();
    final int gone = history.events().size();
    final long goneAt = System.nanoTime();
    List<Lease> kept = clients.stream().limit(KEEPERS).map(OutageClient::kept).toList();

    // The last confirmation was asked for before, so from here on none can be valid.
    await().until(() -> System.nanoTime() - goneAt > VALID.toNanos());
    assertThat(kept).noneMatch(Lease::isValid);
    await("losses are reported").atMost(LONGEST_ATTEMPT).until(() -> isLost(kept));
    await("unknown outcomes are reported")
        .atMost(LONGEST_ATTEMPT)
        .until(() -> after(gone).stream().anyMatch(event -> event.type() == Type.UNKNOWN));
    assertThat(grantedSince(gone)).as("grants without a database").isEmpty();

    final int back = history.events().size();
    comeBack.run();
    await("all locks can be had again")
        .atMost(Duration.ofSeconds(60))
        .until(() -> locksGranted(back).size() == 2 * KEEPERS);
    stop();
  }

  @Override
  public void close() throws Exception {
    end.countDown();
    clients.parallelStream().forEach(OutageClient::close);
    ticker.close();
  }

  private OutageClient client(String url, int number) {
    Holdfast locks = Holdfast.builder().store(url).operationTimeout(OPERATION).build();
    boolean keeper = number < KEEPERS;
    String lock = (keeper ? "kept/" : "contended/") + number % KEEPERS;
    return new OutageClient(
        "client-" + number, locks, locks.lock(lock, OPTIONS), keeper, history, fence, end);
  }

  private void start() {
    for (OutageClient client : clients) {
      Thread thread = new Thread(client, client.toString());
      thread.start();
      threads.add(thread);
    }
    await("all locks are in use")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                locksGranted(0).size() == 2 * KEEPERS
                    && history.grants() >= clients.size()
                    && clients.stream().limit(KEEPERS).allMatch(client -> client.kept() != null));
  }

  private void stop() throws InterruptedException {
    end.countDown();
    for (Thread thread : threads) {
      thread.join(LONGEST_ATTEMPT.toMillis());
      assertThat(thread.isAlive()).as(thread.getName() + " is still at it").isFalse();
    }
    assertThat(clients).allMatch(client -> client.failure() == null, "did not fail");
    assertThat(clients).allMatch(client -> client.longest().compareTo(LONGEST_ATTEMPT) < 0);
    history.check();
  }

  /** Returns whether all of these were reported; a busy machine may have lost one before. */
  private boolean isLost(List<Lease> kept) {
    Set<String> lost = new HashSet<>();
    after(0).stream()
        .filter(event -> event.type() == Type.LOST)
        .forEach(event -> lost.add(event.lock() + event.token()));
    return kept.stream().allMatch(lease -> lost.contains(lease.lockName() + lease.token()));
  }

  private Set<String> locksGranted(int since) {
    Set<String> locks = new TreeSet<>();
    after(since).stream()
        .filter(event -> event.type() == Type.GRANTED)
        .forEach(event -> locks.add(event.lock()));
    return locks;
  }

  /** Those that asked after this point and got what they asked for. */
  private List<Event> grantedSince(int since) {
    Map<Integer, Event> asked = new HashMap<>();
    List<Event> granted = new ArrayList<>();
    for (Event event : after(since)) {
      if (event.type() == Type.ATTEMPT) {
        asked.put(event.number(), event);
      } else if (event.type() == Type.GRANTED && asked.containsKey(event.number())) {
        granted.add(event);
      }
    }
    return granted;
  }

  private List<Event> after(int since) {
    List<Event> events = history.events();
    return events.subList(since, events.size());
  }

  /** Something done to the database. */
  interface Step {
    void run() throws Exception;
  }
}
