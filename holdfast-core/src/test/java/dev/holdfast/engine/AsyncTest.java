package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AsyncTest {

  /** Callbacks that wait until the test lets them run. */
  private final Queue<Runnable> callbacks = new ArrayDeque<>();

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_free_lock_is_given_at_once() {
    assertThat(lock.acquireAsync()).isCompleted();
  }

  @Test
  void busy_is_null_for_a_try() {
    lock.acquireAsync().join();
    assertThat(lock.tryAcquireAsync()).isCompletedWithValue(null);
    CompletableFuture<Lease> patient = lock.tryAcquireAsync(ofSeconds(2));
    scene.advance(ofSeconds(2));
    assertThat(patient).isCompletedWithValue(null);
  }

  @Test
  void busy_is_an_exception_that_names_the_holder_for_a_caller_that_insists() {
    DistributedLock labelled = scene.locks.mutex("x", OPTIONS.label("billing-7"));
    Lease holder = labelled.acquireAsync().join();
    scene.advance(ofSeconds(29));
    CompletableFuture<Lease> waiting = lock.acquireAsync(ofSeconds(2));
    scene.advance(ofSeconds(2));
    assertThatThrownBy(waiting::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            LockTimeoutException.class, timeout -> assertThat(timeout.lockName()).isEqualTo("x"))
        .hasMessage(
            "Gave up on 'x' after 2 s: held by billing-7 (host "
                + holder.owner().host()
                + ", pid "
                + holder.owner().pid()
                + ") for 31 s.");
  }

  @Test
  void a_negative_wait_is_refused_with_the_value() {
    List.<Runnable>of(
            () -> lock.acquireAsync(ofSeconds(-1)), () -> lock.tryAcquireAsync(ofSeconds(-1)))
        .forEach(
            call ->
                assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("wait (PT-1S) must not be negative"));
    assertThatThrownBy(() -> lock.acquire(ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock.tryAcquire(ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_wait_of_almost_for_ever_is_taken_as_for_ever() throws Exception {
    Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
    try (Lease lease = lock.acquire(ages)) {
      CompletableFuture<Lease> waiting = lock.acquireAsync(ages);
      scene.advance(Duration.ofHours(6));
      assertThat(waiting).isNotDone();
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void asynchronous_requests_of_one_thread_do_not_enter_again() {
    lock.acquireAsync().join();
    assertThat(lock.acquireAsync()).isNotDone();
  }

  @Test
  void cancelling_leaves_the_local_queue() {
    Lease held = lock.acquireAsync().join();
    CompletableFuture<Lease> second = lock.acquireAsync();
    CompletableFuture<Lease> third = lock.acquireAsync();
    assertThat(second.cancel(false)).isTrue();
    held.close();
    assertThat(third).isCompleted();
  }

  @Test
  void cancelling_leaves_the_queue_of_the_store_and_frees_the_next_at_once() {
    Engine other = scene.otherClient();
    Lease theirs = other.acquireAsync("x", MUTEX, Request.FOR_EVER).join();
    List<CompletableFuture<Lease>> ways =
        List.of(
            lock.acquireAsync(),
            scene.locks.mutex("x", OPTIONS.label("a")).acquireAsync(ofSeconds(60)),
            scene.locks.mutex("x", OPTIONS.label("b")).tryAcquireAsync(ofSeconds(60)));
    CompletableFuture<Lease> next = scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
    ways.forEach(way -> way.cancel(true));
    assertThat(scene.engine.names()).isZero();
    assertThat(scene.engine.inspect("x").waiters()).hasSize(1);
    theirs.close();
    assertThat(next).isCompleted();
  }

  @Test
  void completing_the_future_in_any_other_way_leaves_the_queue_too() {
    Lease held = lock.acquireAsync().join();
    lock.acquireAsync().completeExceptionally(new IllegalStateException("no longer wanted"));
    lock.tryAcquireAsync(ofSeconds(60)).complete(null);
    CompletableFuture<Lease> next = lock.acquireAsync();
    held.close();
    assertThat(next).isCompleted();
  }

  @Test
  void cancelling_while_the_join_is_on_its_way_leaves_what_it_got() {
    scene.faults.set(SilentStore.Verb.JOIN, SilentStore.Manner.ANSWERS_LATE);
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    waiting.cancel(false);
    assertThat(scene.engine.inspect("x").isHeld()).isFalse(); // it has left what it got
    scene.faults.answer();
    assertThat(scene.engine.inspect("x").isHeld()).isFalse();
    assertThat(scene.engine.names()).isZero();
  }

  @Test
  void cancelling_between_the_grant_and_the_callback_gives_the_lock_back() {
    try (Scene slow = Scene.callingBackOn(callbacks::add, null)) {
      List<CompletableFuture<Lease>> ways =
          List.of(
              slow.locks.mutex("a", OPTIONS).acquireAsync(),
              slow.locks.mutex("b", OPTIONS).tryAcquireAsync(),
              slow.locks.mutex("c", OPTIONS).tryAcquireAsync(ofSeconds(1)));
      assertThat(slow.engine.list("", 10)).hasSize(3);
      assertThat(ways).noneMatch(CompletableFuture::isDone);
      ways.forEach(way -> way.cancel(false));
      runCallbacks();
      assertThat(slow.engine.list("", 10)).isEmpty();
      assertThat(slow.engine.names()).isZero();
    }
  }

  @Test
  void cancelling_a_lease_that_was_given_changes_nothing() {
    CompletableFuture<Lease> given = lock.acquireAsync();
    assertThat(given.cancel(false)).isFalse();
    assertThat(given.join().isValid()).isTrue();
  }

  @Test
  void futures_complete_on_the_executor_and_not_on_the_thread_of_the_store() {
    try (Scene slow = Scene.callingBackOn(callbacks::add, null)) {
      CompletableFuture<Lease> first = slow.request("x", MUTEX);
      assertThat(first).isNotDone();
      runCallbacks();
      assertThat(first).isCompleted();
      CompletableFuture<Lease> second = slow.request("x", MUTEX);
      first.join().close();
      assertThat(second).isNotDone();
      runCallbacks();
      assertThat(second).isCompleted();
    }
  }

  @Test
  void a_chain_of_ten_thousand_hand_offs_does_not_deepen_the_stack() {
    try (Scene slow = Scene.callingBackOn(callbacks::add, null)) {
      int[] held = {0};
      for (int i = 0; i < 10_000; i++) {
        slow.request("x", MUTEX)
            .thenAccept(
                lease -> {
                  held[0]++;
                  lease.close();
                });
      }
      runCallbacks();
      assertThat(held[0]).isEqualTo(10_000);
      slow.endIdleClaims();
      assertThat(slow.engine.names()).isZero();
    }
  }

  @Test
  void a_time_out_that_is_over_leaves_no_task_behind() {
    lock.acquireAsync(Duration.ofDays(1)).join().close();
    lock.tryAcquireAsync().join().close();
    scene.advance(ofSeconds(60));
    assertThat(scene.ticker.tasks()).isZero();
  }

  private void runCallbacks() {
    Runnable next;
    while ((next = callbacks.poll()) != null) {
      next.run();
    }
  }
}
