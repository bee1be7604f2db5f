package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Executors that refuse, fail or are busy: the engine goes on. */
class ExecutorTest {

  private static final HoldfastListener LISTENER = event -> {};

  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger losses = new AtomicInteger();

  private final Executor rejecting =
      task -> {
        if (full.get()) {
          throw new RejectedExecutionException("full");
        }
        task.run();
      };

  private final Executor broken =
      task -> {
        if (full.get()) {
          throw new IllegalStateException("the container is stopping");
        }
        task.run();
      };

  @Test
  void a_loss_is_reported_even_when_the_executor_is_full() {
    try (Scene scene = Scene.callingBackOn(rejecting, LISTENER)) {
      Lease lease = scene.request("x", MUTEX).join();
      lease.onLost(losses::incrementAndGet);
      full.set(true);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(10));
      await().untilAsserted(() -> assertThat(losses).hasValue(1)); // on a dedicated thread
    }
  }

  @Test
  void a_future_that_the_executor_refuses_to_complete_is_decided_all_the_same() {
    try (Scene scene = Scene.callingBackOn(rejecting, null)) {
      full.set(true);
      CompletableFuture<Lease> future = scene.request("x", MUTEX);
      assertThat(future).succeedsWithin(ofSeconds(60));
      assertThat(future.join().isValid()).isTrue();
    }
  }

  @Test
  void a_release_does_not_fail_because_the_executor_refuses_the_next_future() {
    try (Scene scene = Scene.callingBackOn(rejecting, null)) {
      Lease first = scene.request("x", MUTEX).join();
      CompletableFuture<Lease> second = scene.request("x", MUTEX);
      full.set(true);
      first.close();
      assertThat(second).succeedsWithin(ofSeconds(60));
    }
  }

  @Test
  void an_executor_that_fails_oddly_does_not_stop_the_renewal_of_other_leases() {
    try (Scene scene = Scene.plain()) {
      Lease healthy = scene.request("healthy", MUTEX).join();
      Lease limited = scene.request("x", LockSpec.mutex(OPTIONS.maxHold(ofSeconds(40)))).join();
      limited.onLost(losses::incrementAndGet, broken);
      full.set(true);
      scene.advance(ofSeconds(60));
      assertThat(limited.isValid()).isFalse();
      assertThat(healthy.isValid()).isTrue();
    }
  }

  @Test
  void a_loss_is_reported_even_when_its_executor_fails_oddly() {
    try (Scene scene = Scene.callingBackOn(broken, LISTENER)) {
      Lease lease = scene.request("x", MUTEX).join();
      lease.onLost(losses::incrementAndGet);
      full.set(true);
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(10));
      await().untilAsserted(() -> assertThat(losses).hasValue(1)); // on a dedicated thread
    }
  }

  @Test
  void a_loss_is_reported_on_the_executor_it_was_asked_for_on() {
    try (Scene scene = Scene.plain()) {
      AtomicInteger used = new AtomicInteger();
      Lease lease = scene.request("x", MUTEX).join();
      lease.onLost(
          losses::incrementAndGet,
          task -> {
            used.incrementAndGet();
            task.run();
          });
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(10));
      assertThat(used).hasValue(1);
      assertThat(losses).hasValue(1);
    }
  }

  @Test
  void a_loss_is_reported_although_many_futures_time_out_while_the_store_is_silent() {
    // With the client's own threads: their number is bounded, so none of them may wait for the
    // store.
    try (Scene scene = Scene.callingBackOn(null, null)) {
      Lease lease = scene.request("mine", MUTEX).join();
      lease.onLost(losses::incrementAndGet);
      Engine other = scene.otherClient();
      other.acquireAsync("theirs", MUTEX, Request.FOR_EVER).join();
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(ofSeconds(20));
      for (int i = 0; i < 8; i++) {
        scene.locks.mutex("theirs", OPTIONS).acquireAsync(ofMillis(2_400));
      }
      scene.faults.set(Verb.INSPECT, Manner.IGNORES);
      scene.advance(ofMillis(2_400)); // eight time-outs, each wants to name the holder
      scene.advance(ofMillis(100)); // the deadline of this client's lease
      await().untilAsserted(() -> assertThat(losses).hasValue(1));
    }
  }

  @Test
  void an_action_that_blocks_does_not_keep_other_leases_from_hearing_of_their_loss() {
    CountDownLatch blocked = new CountDownLatch(1);
    try (Scene scene = Scene.callingBackOn(null, null)) { // with the client's own threads
      for (int i = 0; i < 8; i++) {
        scene.request("lock/" + i, MUTEX).join().onLost(() -> awaitUninterruptibly(blocked));
      }
      scene.request("last", MUTEX).join().onLost(losses::incrementAndGet);
      scene.faults.set(Verb.REFRESH, Manner.IGNORES);
      scene.advance(OPTIONS.validFor());
      await().untilAsserted(() -> assertThat(losses).hasValue(1));
    } finally {
      blocked.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
