package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.READ;
import static dev.holdfast.engine.Scene.permits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Request;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A name that is in use as one kind of lock cannot be another at the same time. */
class MismatchTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void another_kind_is_refused_with_both_kinds_and_capacities() {
    scene.otherClient().acquireAsync("x", permits(1, 3), Request.FOR_EVER).join();
    assertThatThrownBy(scene.request("x", MUTEX)::join)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage(
            "'x' is in use as SEMAPHORE of capacity 3; it cannot be MUTEX of capacity 1 at the"
                + " same time");
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void another_capacity_is_refused() {
    scene.otherClient().acquireAsync("x", permits(1, 3), Request.FOR_EVER).join();
    assertThat(scene.request("x", permits(1, 4))).isCompletedExceptionally();
    assertThat(scene.request("x", permits(3, 3))).isNotDone();
  }

  @Test
  void a_try_is_refused_too_and_not_answered_busy() {
    scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    assertThatThrownBy(() -> scene.engine.acquire("x", READ, 0, true))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void within_one_client_it_is_refused_as_well() {
    Lease mutex = scene.request("x", MUTEX).join();
    assertThat(scene.request("x", READ)).isCompletedExceptionally();
    assertThat(mutex.isValid()).isTrue();
  }

  @Test
  void the_waiters_of_the_right_kind_are_not_disturbed() {
    Lease theirs = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    CompletableFuture<Lease> before = scene.request("x", MUTEX);
    CompletableFuture<Lease> wrong = scene.request("x", READ);
    CompletableFuture<Lease> after = scene.request("x", MUTEX);
    theirs.close();
    before.join().close();
    assertThat(after).isCompleted();
    after.join().close();
    assertThat(List.of(before, after)).noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(wrong).isDone();
  }

  @Test
  void an_empty_lock_can_be_redefined() {
    scene.request("x", MUTEX).join().close();
    assertThat(scene.request("x", READ)).isCompleted();
  }

  @Test
  void a_thread_that_holds_a_mutex_does_not_enter_it_as_another_kind() throws Exception {
    scene.engine.acquire("x", MUTEX, Request.FOR_EVER, true);
    assertThatThrownBy(() -> scene.engine.acquire("x", READ, 0, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("MUTEX of capacity 1");
  }
}
