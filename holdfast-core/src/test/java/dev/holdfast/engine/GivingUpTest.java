package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPERATION_TIMEOUT;
import static dev.holdfast.engine.Scene.OPTIONS;
import static dev.holdfast.engine.Scene.READ;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit strikes, an interrupt comes, a future is cancelled: who hears what, and when. */
class GivingUpTest {

  private final Scene scene = Scene.plain();
  private final Engine other = scene.otherClient();

  @AfterEach
  void close() {
    scene.close();
  }

  private CompletableFuture<Lease> tryFor(Duration wait) {
    return scene.engine.acquireAsync("x", MUTEX, wait.toNanos());
  }

  @Test
  void an_answer_that_is_under_way_when_the_limit_strikes_decides() {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = tryFor(ofMillis(500));
    scene.advance(ofMillis(490));
    scene.faults.set(Verb.REFRESH, Manner.ANSWERS_LATE);
    held.close(); // the store hints, and the refresh that follows is answered at 510 ms
    scene.advance(ofMillis(20));
    assertThat(waiting).isNotDone();
    scene.faults.answer();
    assertThat(waiting.join().isValid()).isTrue();
  }

  @Test
  void a_busy_lock_is_busy_though_each_answer_takes_longer_than_the_limit() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    for (int i = 0; i < 6; i++) {
      scene.faults.setAll(Manner.ANSWERS_LATE);
      CompletableFuture<Lease> waiting = tryFor(ofMillis(50));
      scene.advance(ofMillis(60));
      scene.faults.answer(); // queued
      scene.faults.answer(); // left
      scene.faults.setAll(Manner.ANSWERS);
      assertThat(waiting).isCompletedWithValue(null);
    }
    assertThat(other.inspect("x").waiters()).isEmpty();
  }

  @Test
  void busy_is_reported_once_the_store_has_confirmed_that_we_are_out_of_the_queue() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = tryFor(ofMillis(50));
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
    scene.advance(ofMillis(50));
    assertThat(waiting).isNotDone();
    scene.faults.answer();
    assertThat(waiting).isCompletedWithValue(null);
  }

  @Test
  void a_timed_wait_ends_one_operation_time_out_after_its_limit_whatever_the_store_does() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
    CompletableFuture<Lease> waiting = tryFor(ofMillis(50));
    scene.advance(ofMillis(60));
    scene.store.hint("x"); // a wrong one, which the SPI allows
    scene.faults.setAll(Manner.IGNORES);
    scene.faults.answer(); // queued, and silent from now on
    scene.advance(OPERATION_TIMEOUT.minus(ofMillis(11)));
    assertThat(waiting).isNotDone();
    scene.advance(ofMillis(1));
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void a_thread_that_is_interrupted_is_out_of_the_queue_before_it_learns_of_it() {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    Background<Lease> waiting =
        Background.start(() -> scene.locks.mutex("x", OPTIONS).acquire()).awaitWaiting();
    scene.faults.set(Verb.LEAVE, Manner.ANSWERS_LATE);
    waiting.interrupt();
    await().until(() -> scene.store.leaves.get() == 1);
    assertThat(waiting.isDone()).isFalse();
    scene.faults.answer();
    assertThatThrownBy(waiting::get).isInstanceOf(InterruptedException.class);
    held.close();
    assertThat(scene.otherClient().acquireAsync("x", MUTEX, 0).join()).isNotNull();
  }

  @Test
  void a_second_interrupt_ends_the_wait_for_the_leave() {
    Background<EngineLease> waiting = interruptedWithoutAnswer(ofHours(1));
    waiting.interrupt();
    assertThatThrownBy(waiting::get).isInstanceOf(InterruptedException.class);
    scene.advance(ofHours(1)); // its leave is given up on
  }

  @Test
  void the_operation_time_out_ends_the_wait_of_an_interrupted_thread_for_its_leave() {
    Background<EngineLease> waiting = interruptedWithoutAnswer(ofMillis(100));
    // By the system's clock: the one that the test drives stands still.
    assertThatThrownBy(waiting::get).isInstanceOf(InterruptedException.class);
  }

  /** A thread that waits for the answer to its leave, which does not come. */
  private Background<EngineLease> interruptedWithoutAnswer(Duration operationTimeout) {
    Engine client = scene.clientOf(scene.store, operationTimeout);
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    Background<EngineLease> waiting =
        Background.start(() -> client.acquire("x", MUTEX, Request.FOR_EVER, true)).awaitWaiting();
    scene.faults.set(Verb.LEAVE, Manner.IGNORES);
    waiting.interrupt();
    await().until(() -> scene.store.leaves.get() == 1);
    return waiting;
  }

  @Test
  void an_uninterruptible_wait_goes_on_and_keeps_the_interrupt() throws Exception {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    Background<Boolean> waiting =
        Background.start(
                () -> {
                  try (Lease lease = scene.locks.mutex("x", OPTIONS).acquireUninterruptibly()) {
                    return Thread.interrupted();
                  }
                })
            .awaitWaiting();
    waiting.interrupt();
    waiting.awaitWaiting();
    held.close();
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void a_cancelled_request_hands_its_leave_to_the_store_before_cancel_returns() {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    waiting.cancel(false);
    assertThat(other.inspect("x").waiters()).isEmpty();
    held.close();
    assertThat(scene.otherClient().acquireAsync("x", MUTEX, 0).join()).isNotNull();
  }

  @Test
  void a_join_that_is_on_its_way_is_kept_out_when_its_request_is_cancelled() {
    scene.faults.set(Verb.JOIN, Manner.ANSWERS_LATE);
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    waiting.cancel(false);
    assertThat(scene.store.leaves).hasValue(1);
    assertThat(other.inspect("x").isHeld()).isFalse();
    scene.faults.answer();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void the_other_waiters_keep_their_place_when_one_of_them_gives_up() {
    Lease held = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> timed = tryFor(ofSeconds(1));
    CompletableFuture<Lease> waiting = scene.request("x", MUTEX);
    CompletableFuture<Lease> behind =
        scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    scene.advance(ofSeconds(1));
    assertThat(timed).isCompletedWithValue(null);
    held.close();
    assertThat(waiting).isCompleted();
    assertThat(behind).isNotDone();
  }

  @Test
  void a_refresh_that_fails_is_not_repeated_at_once_though_others_wait() {
    scene.request("x", READ).join();
    scene.faults.set(Verb.REFRESH, Manner.FAILS);
    assertThat(scene.request("x", READ)).isCompleted(); // it joins for itself
    scene.store.hint("x");
    scene.advance(ofMillis(15));
    assertThat(scene.store.refreshes).hasSizeLessThan(4);
  }

  @Test
  void a_closing_client_tells_those_whose_leave_is_not_answered() {
    other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> waiting = tryFor(ofMillis(50));
    scene.faults.set(Verb.LEAVE, Manner.IGNORES);
    scene.advance(ofMillis(50));
    assertThat(waiting).isNotDone();
    Background<Boolean> closing =
        Background.start(
            () -> {
              scene.engine.close();
              return true;
            });
    await().until(waiting::isDone);
    assertThat(waiting).isCompletedExceptionally();
    await()
        .until(
            () -> {
              scene.advance(OPERATION_TIMEOUT);
              return closing.isDone();
            });
  }
}
