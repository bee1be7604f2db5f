package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static dev.holdfast.engine.Scene.permits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SemaphoreTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void permits_of_one_client_run_together_without_waiting_for_each_other() {
    Lease first = scene.request("pool", permits(1, 3)).join();
    CompletableFuture<Lease> second = scene.request("pool", permits(1, 3));
    assertThat(second).isCompleted();
    assertThat(second.join().proof().mode()).isEqualTo(Mode.PERMIT);
    assertThat(second.join().token()).isGreaterThan(first.token());
    assertThat(scene.request("pool", permits(1, 3))).isCompleted();
  }

  @Test
  void permits_of_two_clients_add_up() {
    scene.request("pool", permits(2, 3)).join();
    Engine other = scene.otherClient();
    assertThat(other.acquireAsync("pool", permits(1, 3), Request.FOR_EVER)).isCompleted();
    assertThat(other.acquireAsync("pool", permits(1, 3), 0)).isDone();
  }

  @Test
  void a_claim_that_does_not_fit_waits_until_another_leaves() {
    Lease first = scene.request("pool", permits(2, 2)).join();
    CompletableFuture<Lease> second = scene.request("pool", permits(1, 2));
    assertThat(second).isNotDone();
    first.close();
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
  }

  @Test
  void an_uninterruptible_wait_goes_on_and_keeps_the_interrupt() throws Exception {
    DistributedSemaphore pool = scene.locks.semaphore("pool", 2, OPTIONS);
    for (Supplier<Lease> way :
        List.<Supplier<Lease>>of(
            pool::acquireUninterruptibly, () -> pool.acquireUninterruptibly(2))) {
      Lease both = scene.request("pool", permits(2, 2)).join();
      Background<Boolean> waiting =
          Background.start(
                  () -> {
                    try (Lease lease = way.get()) {
                      return lease.isValid() && Thread.interrupted();
                    }
                  })
              .awaitWaiting();
      waiting.interrupt();
      waiting.awaitWaiting();
      both.close();
      assertThat(waiting.get()).isTrue();
    }
  }

  @Test
  void a_small_request_does_not_overtake_a_big_one() {
    Lease first = scene.request("pool", permits(2, 3)).join();
    CompletableFuture<Lease> big = scene.request("pool", permits(3, 3));
    CompletableFuture<Lease> small = scene.request("pool", permits(1, 3));
    assertThat(small).isNotDone();
    first.close();
    assertThat(big).isCompleted();
    assertThat(small).isNotDone();
    big.join().close();
    assertThat(small).isCompleted();
  }

  @Test
  void when_a_big_request_gives_up_the_small_one_behind_it_gets_in() {
    scene.request("pool", permits(2, 3)).join();
    CompletableFuture<Lease> big = scene.request("pool", permits(3, 3));
    CompletableFuture<Lease> small = scene.request("pool", permits(1, 3));
    big.cancel(false);
    assertThat(small).isCompleted();
  }

  @Test
  void a_try_for_a_full_semaphore_is_answered_busy_at_once() {
    scene.request("pool", permits(1, 1)).join();
    assertThat(scene.engine.acquireAsync("pool", permits(1, 1), 0)).isCompletedWithValue(null);
  }

  @Test
  void a_wait_for_a_full_semaphore_ends_busy_and_not_unknown() {
    scene.request("pool", permits(1, 1)).join();
    CompletableFuture<Lease> waiting =
        scene.engine.acquireAsync("pool", permits(1, 1), Duration.ofMillis(50).toNanos());
    scene.advance(Duration.ofMillis(50));
    assertThat(waiting).isCompletedWithValue(null);
  }

  @Test
  void a_permit_is_passed_on_within_the_client_with_a_greater_token() {
    Lease first = scene.request("pool", permits(1, 1)).join();
    CompletableFuture<Lease> second = scene.request("pool", permits(1, 1));
    first.close();
    assertThat(second).isCompleted();
    assertThat(second.join().token()).isGreaterThan(first.token());
  }

  @Test
  void permits_do_not_enter_again_because_they_add_up() {
    assertThat(permits(1, 2).reentrant).isFalse();
  }

  @Test
  void a_big_try_that_does_not_fit_says_nothing_about_a_small_one() {
    scene.otherClient().acquireAsync("pool", permits(2, 3), Request.FOR_EVER).join();
    scene.faults.set(SilentStore.Verb.JOIN, SilentStore.Manner.ANSWERS_LATE);
    CompletableFuture<Lease> big = scene.engine.acquireAsync("pool", permits(2, 3), 0);
    CompletableFuture<Lease> small = scene.engine.acquireAsync("pool", permits(1, 3), 0);
    scene.faults.answer();
    assertThat(big).isCompletedWithValue(null);
    scene.faults.answer();
    assertThat(small.join()).isNotNull();
  }
}
