package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callers of one client pass a lock on among themselves, for a while. */
public abstract class HandOffRules extends EngineRules {

  /** Far above the slice that any client may keep to itself, far below for ever. */
  private static final int MANY = 5_000;

  /** A whole second of turns; a slice is a tenth of that. */
  private static final int MANY_SLOW_TURNS = 100;

  @Test
  void the_waiters_of_one_client_are_served_in_their_order_with_rising_tokens() throws Exception {
    Lease first = a.lock(name).acquire();
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      waiters.add(a.lock(name).acquireAsync());
    }

    long last = first.token();
    first.close();
    for (int i = 0; i < waiters.size(); i++) {
      Lease lease = scene().resultInTime(waiters.get(i));
      assertThat(lease.token()).isGreaterThan(last);
      assertThat(waiters.subList(i + 1, waiters.size())).noneMatch(CompletableFuture::isDone);
      last = lease.token();
      scene().result(lease.releaseAsync());
    }
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void passing_on_costs_no_round_trips() throws Exception {
    FaultyClient counted = scene().faulty();
    DistributedLock lock = counted.locks().lock(name);
    Lease first = lock.acquire();
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      lock.acquireAsync()
          .thenAccept(
              lease -> {
                served.incrementAndGet();
                lease.releaseAsync();
              });
    }

    first.close();

    scene().soon("all are served", () -> served.get() == 100);
    assertThat(counted.store().calls(Verb.JOIN)).isLessThan(20);
  }

  @Test
  void an_uncontended_acquisition_is_one_request_and_so_is_its_release() throws Exception {
    FaultyClient counted = scene().faulty();

    counted.locks().lock(name).acquire().close();

    assertThat(counted.store().calls(Verb.JOIN)).isEqualTo(1);
    assertThat(counted.store().calls(Verb.LEAVE)).isEqualTo(1);
    assertThat(counted.store().calls(Verb.REFRESH)).isZero();
  }

  @Test
  void another_client_gets_its_turn_after_a_bounded_number_of_turns_in_one() throws Exception {
    Lease held = a.lock(name).acquire();
    CompletableFuture<Lease> stranger = b.lock(name).acquireAsync();
    awaitWaiter();
    AtomicInteger passed = new AtomicInteger();
    contend(stranger, passed);
    contend(stranger, passed);

    held.close();

    if (scene().traits().fair()) {
      scene().soon("the stranger gets its turn", stranger::isDone);
      assertThat(passed.get()).isLessThan(MANY);
    }
    assertThat(scene().resultInTime(stranger).isValid()).isTrue();
  }

  /** Two of these make sure that a request always waits in the client when a lease is released. */
  private void contend(CompletableFuture<Lease> until, AtomicInteger passed) {
    a.lock(name)
        .acquireAsync()
        .thenAccept(
            lease -> {
              if (!until.isDone() && passed.incrementAndGet() < MANY) {
                contend(until, passed);
              }
              lease.releaseAsync();
            });
  }

  @Test
  void another_client_gets_its_turn_after_a_bounded_time_of_turns_in_one() throws Exception {
    Lease current = a.lock(name).acquire();
    CompletableFuture<Lease> stranger = b.lock(name).acquireAsync();
    awaitWaiter();
    CompletableFuture<Lease> next = a.lock(name).acquireAsync();
    int turns = 0;
    while (!stranger.isDone() && turns < MANY_SLOW_TURNS) {
      scene().pass(Duration.ofMillis(10));
      CompletableFuture<Lease> following = next;
      next = a.lock(name).acquireAsync();
      current.releaseAsync();
      scene()
          .eventually(
              "the turn of one of them comes", () -> following.isDone() || stranger.isDone());
      if (following.isDone()) {
        current = following.join();
        turns++;
      }
    }

    if (scene().traits().fair()) {
      assertThat(turns).isLessThan(MANY_SLOW_TURNS);
    }
    next.cancel(true);
    current.releaseAsync();
    assertThat(scene().resultInTime(stranger).isValid()).isTrue();
  }

  @Test
  void without_hand_off_the_store_decides_each_time() throws Exception {
    DistributedLock lock = a.lock(name, scene().lasting().handOff(false));
    Lease first = lock.acquire();
    CompletableFuture<Lease> stranger = b.lock(name).acquireAsync();
    awaitWaiter();
    CompletableFuture<Lease> local = lock.acquireAsync();

    first.close();

    Lease second =
        scene().resultInTime(scene().traits().fair() ? stranger : either(stranger, local));
    second.close();
    scene().resultInTime(scene().traits().fair() ? local : both(stranger, local));
  }

  @Test
  void a_sleeping_waiter_is_overtaken_by_a_running_thread_a_bounded_number_of_times()
      throws Exception {
    DistributedLock lock = a.lock(name);
    Lease held = lock.acquire();
    AtomicInteger served = new AtomicInteger();
    Task<Boolean> sleeper =
        scene()
            .inThread(
                () -> {
                  try (Lease lease = lock.acquire()) {
                    return served.incrementAndGet() == 1;
                  }
                });
    scene().soon("the waiter sleeps", () -> waits(sleeper.thread()));
    held.close();

    Task<Integer> runner =
        scene()
            .inThread(
                () -> {
                  int overtaken = 0;
                  while (served.get() == 0 && overtaken < MANY) {
                    lock.acquire().close();
                    overtaken++;
                  }
                  return overtaken;
                });

    assertThat(scene().resultInTime(sleeper.result())).isTrue();
    assertThat(scene().resultInTime(runner.result())).isLessThan(MANY);
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING;
  }

  @Test
  void callers_with_different_labels_do_not_share_a_claim() throws Exception {
    Lease first = a.lock(name, scene().lasting().label("one")).acquire();
    CompletableFuture<Lease> second = a.lock(name, scene().lasting().label("two")).acquireAsync();

    first.close();

    scene().resultInTime(second);
    assertThat(b.inspect(name).holders().get(0).owner().label()).isEqualTo("two");
  }

  private static CompletableFuture<Lease> either(
      CompletableFuture<Lease> one, CompletableFuture<Lease> two) {
    return one.applyToEither(two, lease -> lease);
  }

  private static CompletableFuture<Lease> both(
      CompletableFuture<Lease> one, CompletableFuture<Lease> two) {
    return one.thenCombine(two, (first, second) -> second);
  }
}
