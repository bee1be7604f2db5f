package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** maxHold and minHold. The margin is 7.5 s. */
class HoldLimitsTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Nested
  class MaxHold {

    private final LockSpec limited = LockSpec.mutex(OPTIONS.maxHold(ofSeconds(60)));
    private final AtomicInteger losses = new AtomicInteger();

    @Test
    void the_loss_is_reported_a_margin_earlier_and_the_lock_is_given_up_at_its_end() {
      Lease lease = scene.request("x", limited).join();
      lease.onLost(losses::incrementAndGet);
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.advance(ofSeconds(52));
      assertThat(lease.state()).isEqualTo(LeaseState.HELD);
      assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(500));
      scene.advance(Duration.ofMillis(500));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(losses).hasValue(1);
      assertThat(next).isNotDone();
      scene.advance(Duration.ofMillis(7_500));
      assertThat(next).isCompleted();
      assertThat(losses).hasValue(1);
    }

    @Test
    void a_holder_that_heeds_the_loss_frees_the_lock_earlier() {
      Lease lease = scene.request("x", limited).join();
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.advance(ofSeconds(53));
      assertThat(lease.release()).isFalse();
      assertThat(next).isCompleted();
    }

    @Test
    void each_holder_has_its_own_time_when_a_claim_is_passed_on() {
      Lease theirs = scene.otherClient().acquireAsync("x", limited, Request.FOR_EVER).join();
      CompletableFuture<Lease> first = scene.request("x", limited);
      CompletableFuture<Lease> second = scene.request("x", limited);
      theirs.close();
      scene.advance(Duration.ofMillis(50));
      first.join().close();
      assertThat(scene.store.joins).hasSize(1);
      scene.advance(Duration.ofMillis(52_499));
      assertThat(second.join().isValid()).isTrue();
      scene.advance(Duration.ofMillis(1));
      assertThat(second.join().isValid()).isFalse();
    }

    @Test
    void re_entry_into_an_outstayed_lock_throws_until_it_is_closed() throws Exception {
      Lease lease = scene.engine.acquire("x", limited, Request.FOR_EVER, true);
      scene.advance(ofSeconds(61));
      assertThatThrownBy(() -> scene.engine.acquire("x", limited, Request.FOR_EVER, true))
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("it was held for its maxHold");
      lease.close();
      assertThat(scene.engine.names()).isZero();
      assertThat(scene.engine.acquire("x", limited, 0, true)).isNotNull();
    }

    @Test
    void ensure_says_when_it_leaves_too_little() {
      Lease lease = scene.request("x", limited).join();
      scene.advance(ofSeconds(47)); // of 52.5 until the loss
      lease.ensure(ofSeconds(5));
      assertThatThrownBy(() -> lease.ensure(ofSeconds(6)))
          .isInstanceOf(LeaseLostException.class)
          .hasMessageContaining("is valid for only 5 s more, until its maxHold");
      assertThat(lease.isValid()).isTrue();
    }

    @Test
    void nothing_is_renewed_after_it() {
      scene.request("x", limited).join();
      scene.advance(ofSeconds(60));
      int before = scene.store.refreshes.size();
      scene.advance(Duration.ofHours(1));
      assertThat(scene.store.refreshes).hasSize(before);
    }
  }

  @Nested
  class MinHold {

    private final LockSpec lasting = LockSpec.mutex(OPTIONS.minHold(ofSeconds(20)));

    @Test
    void a_lock_that_is_released_early_stays_taken_until_then() {
      Lease lease = scene.request("x", lasting).join();
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.advance(ofSeconds(3));
      assertThat(lease.release()).isTrue();
      assertThat(scene.store.departures.get(0).linger()).isEqualTo(ofSeconds(17));
      scene.advance(ofSeconds(17).minusNanos(1));
      assertThat(next).isNotDone();
      scene.advance(Duration.ofNanos(1));
      assertThat(next).isCompleted();
    }

    @Test
    void a_lock_that_is_held_longer_is_free_at_once() {
      Lease lease = scene.request("x", lasting).join();
      scene.advance(ofSeconds(20));
      lease.close();
      assertThat(scene.store.departures.get(0).linger()).isZero();
      assertThat(scene.engine.inspect("x").isHeld()).isFalse();
    }

    @Test
    void there_is_no_hand_off_before_it() {
      Lease lease = scene.request("x", lasting).join();
      CompletableFuture<Lease> next = scene.request("x", lasting);
      lease.close();
      assertThat(next).isNotDone();
      scene.advance(ofSeconds(20));
      assertThat(next).isCompleted();
      assertThat(next.join().token()).isGreaterThan(lease.token());
      assertThat(scene.store.joins).hasSize(2);
    }

    @Test
    void it_survives_the_end_of_the_client() {
      scene.request("x", lasting).join();
      CompletableFuture<Lease> next =
          scene.otherClient().acquireAsync("x", MUTEX, Request.FOR_EVER);
      scene.engine.close();
      assertThat(next).as("released after 0 s of 20 s").isNotDone();
      scene.advance(ofSeconds(20));
      assertThat(next).isCompleted();
    }
  }
}
