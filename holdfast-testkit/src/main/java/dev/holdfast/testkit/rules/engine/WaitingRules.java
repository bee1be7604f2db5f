package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Busy means busy, unknown means unknown, and a waiter that gives up is gone at once. */
public abstract class WaitingRules extends EngineRules {

  @Test
  void a_free_lock_is_acquired_and_given_back() throws Exception {
    try (Lease lease = a.lock(name).acquire()) {
      assertThat(lease.lockName()).isEqualTo(name);
      assertThat(lease.isValid()).isTrue();
      assertThat(b.inspect(name).holders().get(0).token()).isEqualTo(lease.token());
      assertThat(b.lock(name).tryAcquire()).isNull();
    }
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void tokens_rise_from_client_to_client() throws Exception {
    long last = 0;
    for (int i = 0; i < 10; i++) {
      try (Lease lease = (i % 2 == 0 ? a : b).lock(name).acquire()) {
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
      }
    }
  }

  @Test
  void a_waiter_is_granted_when_the_holder_releases() throws Exception {
    Lease held = a.lock(name).acquire();
    Task<Lease> waiter = scene().inThread(() -> b.lock(name).acquire());
    awaitWaiter();

    held.close();

    Lease next = scene().resultInTime(waiter.result());
    assertThat(next.token()).isGreaterThan(held.token());
  }

  @Test
  void waiting_in_vain_ends_with_a_message_that_names_the_holder() throws Exception {
    String label = "nightly-report";
    try (Lease held = a.lock(name, scene().lasting().label(label)).acquire()) {
      Throwable failure = waitInVain();
      // The wait for the holder's name is short; a machine that stalls may miss it, but not
      // repeatedly.
      for (int again = 0;
          again < 5 && !scene().drivesClock() && !String.valueOf(failure).contains(label);
          again++) {
        failure = waitInVain();
      }

      assertThat(failure)
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining(name)
          .hasMessageContaining(label);
    }
  }

  private Throwable waitInVain() {
    CompletableFuture<Lease> waiter = b.lock(name).acquireAsync(Duration.ofMillis(300));
    return scene().failureInTime(waiter);
  }

  /** Pitfall 6. */
  @Test
  void a_waiter_that_times_out_leaves_the_queue() throws Exception {
    Lease held = a.lock(name).acquire();
    Task<Lease> quitter = scene().inThread(() -> b.lock(name).tryAcquire(Duration.ofMillis(300)));
    assertThat(scene().resultInTime(quitter.result())).isNull();

    scene().soon("the queue is empty", () -> waiters() == 0);

    held.close();
    assertThat(isFree(b)).isTrue();
  }

  /** Pitfalls 6 and 31. */
  @Test
  void a_waiter_that_is_interrupted_leaves_the_queue_at_once() throws Exception {
    Lease held = a.lock(name).acquire();
    Task<Lease> quitter = scene().inThread(() -> b.lock(name).acquire());
    awaitWaiter();

    quitter.thread().interrupt();

    scene().soon("the thread ends", quitter::isDone);
    assertThatThrownBy(() -> quitter.result().join())
        .hasCauseInstanceOf(InterruptedException.class);
    scene().soon("the queue is empty", () -> waiters() == 0);
    held.close();
    assertThat(isFree(scene().client())).isTrue();
  }

  /** Pitfall 6. */
  @Test
  void a_waiter_that_is_cancelled_leaves_the_queue_at_once_and_the_next_is_granted()
      throws Exception {
    Lease held = a.lock(name).acquire();
    CompletableFuture<Lease> quitter = b.lock(name).acquireAsync();
    awaitWaiter();
    CompletableFuture<Lease> next = scene().client().lock(name).acquireAsync();

    quitter.cancel(true);
    held.close();

    assertThat(scene().resultInTime(next).isValid()).isTrue();
    assertThat(quitter).isCancelled();
  }

  @Test
  void a_thread_that_comes_interrupted_does_not_wait() throws Exception {
    Task<Lease> task =
        scene()
            .inThread(
                () -> {
                  Thread.currentThread().interrupt();
                  return a.lock(name).acquire();
                });
    scene().soon("the thread ends", task::isDone);

    assertThatThrownBy(() -> task.result().join()).hasCauseInstanceOf(InterruptedException.class);
    assertThat(isFree(b)).isTrue();
  }

  /** Pitfall 31. */
  @Test
  void close_releases_although_the_thread_is_interrupted_and_the_flag_survives() throws Exception {
    Task<Boolean> task =
        scene()
            .inThread(
                () -> {
                  Lease lease = a.lock(name).acquire();
                  Thread.currentThread().interrupt();
                  lease.close();
                  return Thread.currentThread().isInterrupted();
                });

    assertThat(scene().result(task.result())).isTrue();
    assertThat(isFree(b)).isTrue();
  }

  /** Pitfall 9. */
  @Test
  void a_store_that_fails_is_not_busy() {
    FaultyClient cut = scene().faulty();
    cut.store().faults(Faults.failing().on(Verb.JOIN));

    assertThatThrownBy(() -> cut.locks().lock(name).tryAcquire())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(name);
    assertThatThrownBy(() -> cut.locks().lock(name).acquire()).isInstanceOf(StoreException.class);
  }

  /** Pitfalls 9 and 10. */
  @Test
  void a_join_whose_answer_is_lost_is_unknown_and_nothing_is_left_behind() {
    FaultyClient cut = scene().faulty();
    cut.store().faults(Faults.mute().on(Verb.JOIN));

    CompletableFuture<Lease> lost = cut.locks().lock(name).tryAcquireAsync();

    assertThat(scene().failureInTime(lost)).isInstanceOf(StoreException.class);
    scene().eventually("what was left behind is cleaned up", () -> isFree(b));
  }

  /** Pitfall 10. */
  @Test
  void a_join_that_arrives_after_its_failure_was_reported_takes_no_effect() {
    FaultyClient cut = scene().faulty();
    cut.store()
        .faults(new Faults(0, 0, 0, 100, 0, 0, 0, 0, 0, Duration.ofMillis(50), Set.of(Verb.JOIN)));

    assertThat(scene().failureInTime(cut.locks().lock(name).tryAcquireAsync()))
        .isInstanceOf(StoreException.class);

    // They overtake each other: a join that came first is ended by the leave, one that came later
    // meets the tombstone.
    scene()
        .eventually(
            "the join and the leave have arrived",
            () -> cut.store().answers(Verb.JOIN) > 0 && cut.store().answers(Verb.LEAVE) > 0);
    assertThat(b.inspect(name).isHeld()).isFalse();
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void an_outage_while_waiting_ends_in_the_lock_or_in_unknown_never_in_busy() throws Exception {
    FaultyClient cut = scene().faulty();
    Lease held = a.lock(name, scene().brief()).acquire();
    CompletableFuture<Lease> waiter = cut.locks().lock(name, scene().brief()).acquireAsync();
    awaitWaiter();

    cut.store().faults(Faults.failing());
    scene().pass(scene().brief().ttl().multipliedBy(3));
    cut.store().faults(Faults.none());
    held.close();

    scene().eventually("the waiter gets an outcome", waiter::isDone);
    if (waiter.isCompletedExceptionally()) {
      assertThat(scene().failureInTime(waiter)).isInstanceOf(StoreException.class);
    } else {
      assertThat(waiter.join().release()).isTrue();
    }
    scene().eventually("the lock is free", () -> isFree(b));
  }

  @Test
  void a_negative_wait_is_refused() {
    assertThatThrownBy(() -> a.lock(name).acquire(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("wait");
  }

  /** Pitfalls 16 and 34: nothing is ever compared with the wall clock of a client. */
  @Test
  void a_client_whose_wall_clock_is_wrong_is_a_client_like_any_other() throws Exception {
    for (Duration wrong : List.of(Duration.ofDays(-400), Duration.ofDays(400))) {
      ManualTicker ticker = new ManualTicker();
      ticker.jumpWall(wrong);
      Lease before = b.lock(name).acquire();
      before.close();
      try (Holdfast astray = scene().client(builder -> builder.ticker(ticker))) {
        Lease lease = astray.lock(name).acquire();

        assertThat(lease.token()).isGreaterThan(before.token());
        assertThat(lease.isValid()).isTrue();
        assertThat(isFree(b)).isFalse();
      }
      try (Lease after = b.lock(name).acquire()) {
        assertThat(after.token()).isGreaterThan(before.token());
      }
    }
  }

  /** Pitfall 27. */
  @Test
  void work_is_never_done_without_the_lock() throws Exception {
    try (Lease held = a.lock(name).acquire()) {
      boolean ran =
          b.lock(name)
              .tryRun(
                  () -> {
                    throw new AssertionError("ran without the lock");
                  });

      assertThat(ran).isFalse();
    }
    assertThat(b.lock(name).tryRun(() -> {})).isTrue();
    assertThat(b.lock(name).<Integer>call(() -> 42)).isEqualTo(42);
    assertThat(isFree(a)).isTrue();
  }
}
