package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.History;
import dev.holdfast.testkit.History.Attempt;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many callers, races, and nothing left behind. */
public abstract class LoadRules extends EngineRules {

  private static final Duration RACING = Duration.ofSeconds(30);
  private static final Duration PATIENT = Duration.ofSeconds(20);

  private static final int CHAIN = 10_000;

  @Test
  void ten_thousand_chained_acquisitions_overflow_no_stack() throws Exception {
    DistributedLock lock = a.lock(name);
    Lease held = lock.acquire();
    AtomicInteger served = new AtomicInteger();
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < CHAIN; i++) {
      all.add(
          lock.acquireAsync()
              .thenCompose(
                  lease -> {
                    served.incrementAndGet();
                    return lease.releaseAsync();
                  }));
    }

    held.close();

    scene().eventually("all are served", () -> all.stream().allMatch(CompletableFuture::isDone));
    assertThat(all).noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(served).hasValue(CHAIN);
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void holders_never_overlap_however_many_contend() throws Exception {
    History history = new History("contention", Ticker.system("kit-history"));
    AtomicInteger inside = new AtomicInteger();
    List<Task<Integer>> tasks = new ArrayList<>();
    for (int client = 0; client < 3; client++) {
      Holdfast locks = scene().client();
      for (int thread = 0; thread < 4; thread++) {
        String who = "c" + client + "t" + thread;
        tasks.add(scene().inThread(() -> contend(locks, who, history, inside)));
      }
    }

    int overlaps = 0;
    for (Task<Integer> task : tasks) {
      overlaps += scene().resultInTime(task.result());
    }

    assertThat(overlaps).as("holders who met another").isZero();
    history.check();
    assertThat(history.grants()).isEqualTo(12 * 25);
  }

  private int contend(Holdfast locks, String who, History history, AtomicInteger inside)
      throws InterruptedException {
    int overlaps = 0;
    for (int i = 0; i < 25; i++) {
      Attempt attempt = history.attempt(who, name);
      try (Lease lease = locks.lock(name).acquire()) {
        attempt.granted(lease.token());
        overlaps += inside.incrementAndGet() == 1 ? 0 : 1;
        Thread.onSpinWait();
        inside.decrementAndGet();
        attempt.released();
      }
    }
    return overlaps;
  }

  @Test
  void a_client_that_closes_leaves_every_queue_and_releases_every_lease() throws Exception {
    Holdfast client = scene().client();
    Lease held = client.lock(name).acquire();
    List<String> others = new ArrayList<>();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String other = scene().name();
      a.lock(other).acquire();
      waiters.add(client.lock(other).acquireAsync());
      others.add(other);
    }
    if (scene().traits().fair()) {
      scene()
          .soon(
              "all wait",
              () -> others.stream().allMatch(other -> b.inspect(other).waiters().size() == 1));
    }

    client.close();

    assertThat(held.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(isFree(b)).isTrue();
    for (CompletableFuture<Lease> waiter : waiters) {
      assertThat(scene().failureInTime(waiter)).isInstanceOf(IllegalStateException.class);
    }
    scene()
        .soon(
            "no claim waits",
            () -> others.stream().allMatch(other -> b.inspect(other).waiters().isEmpty()));
  }

  @Test
  void closing_a_client_races_with_its_callers_and_nothing_is_left_behind() throws Exception {
    for (int round = 0; round < 10; round++) {
      Holdfast client = scene().client();
      CountDownLatch started = new CountDownLatch(4);
      List<Task<Boolean>> tasks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        tasks.add(
            scene()
                .inThread(
                    () -> {
                      started.countDown();
                      while (true) {
                        client.lock(name).acquire().close();
                      }
                    }));
      }
      started.await();

      client.close();

      for (Task<Boolean> task : tasks) {
        assertThat(scene().failureInTime(task.result())).isInstanceOf(IllegalStateException.class);
      }
      scene().eventually("the lock is free", () -> isFree(b));
    }
  }

  /** Pitfall 6: the cancellation may meet the grant. */
  @Test
  void cancellations_race_with_grants_and_nothing_is_left_behind() throws Exception {
    // Two clients that contend without a pause can keep each other waiting on a busy machine.
    Holdfast taker = scene().client(builder -> builder.operationTimeout(PATIENT));
    Holdfast quitter = scene().client(builder -> builder.operationTimeout(PATIENT));
    Random random = new Random(7);
    AtomicBoolean done = new AtomicBoolean();
    Task<Boolean> canceller =
        scene()
            .inThread(
                () -> {
                  while (!done.get()) {
                    CompletableFuture<Lease> lease = quitter.lock(name).acquireAsync();
                    for (int spins = random.nextInt(2_000); spins > 0; spins--) {
                      Thread.onSpinWait();
                    }
                    if (!lease.cancel(true)) {
                      lease.join().close();
                    }
                  }
                  return true;
                });
    // As many as a busy machine has time for: the race is in each of them.
    long end = System.nanoTime() + RACING.toNanos();
    for (int i = 0; i < 200 && (i < 10 || System.nanoTime() - end < 0); i++) {
      scene().resultInTime(taker.lock(name).acquireAsync()).close();
    }
    done.set(true);

    assertThat(scene().resultInTime(canceller.result())).isTrue();
    // The leave of the last cancelled claim goes out once its join is answered.
    scene().soon("no claim is left behind", () -> taker.inspect(name).waiters().isEmpty());
    scene().eventually("the lock is free", () -> isFree(taker));
  }

  /** Pitfall 28. */
  @Test
  void many_leases_need_no_more_threads_than_a_few() throws Exception {
    a.lock(name).acquire().close();
    long before = threads();
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      leases.add(a.lock(scene().name()).acquire());
    }

    assertThat(threads() - before).as("threads for 200 leases").isLessThan(20);

    leases.forEach(Lease::close);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast"))
        .count();
  }
}
