package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReentryTest {

  private final Scene scene = Scene.plain();
  private final DistributedLock lock = scene.locks.mutex("x", OPTIONS);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void re_entry_has_the_same_token_and_asks_nobody() throws Exception {
    try (Lease outer = lock.acquire();
        Lease inner = lock.acquire(Duration.ofSeconds(1));
        Lease innermost = lock.tryAcquire()) {
      assertThat(inner.token()).isEqualTo(outer.token());
      assertThat(innermost.token()).isEqualTo(outer.token());
      assertThat(scene.store.calls()).isEqualTo(1);
    }
    assertThat(scene.store.calls()).isEqualTo(2);
  }

  @Test
  void a_nested_lease_that_was_closed_learns_nothing_of_a_later_loss() throws Exception {
    AtomicInteger told = new AtomicInteger();
    AtomicInteger toldOuter = new AtomicInteger();
    Lease outer = lock.acquire();
    Lease inner = lock.acquire();
    outer.onLost(toldOuter::incrementAndGet);
    inner.onLost(told::incrementAndGet);
    inner.close();
    inner.onLost(told::incrementAndGet);
    scene.otherClient().evict("x", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    inner.onLost(told::incrementAndGet);
    assertThat(toldOuter).hasValue(1);
    assertThat(told).hasValue(0);
    assertThat(inner.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(outer.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void a_nested_lease_that_is_closed_after_the_machine_slept_still_learns_of_the_loss()
      throws Exception {
    AtomicInteger told = new AtomicInteger();
    lock.acquire();
    Lease inner = lock.acquire();
    inner.onLost(told::incrementAndGet);
    scene.ticker.jumpWall(Duration.ofHours(1));
    inner.close();
    scene.advance(OPTIONS.renewEvery());
    assertThat(told).hasValue(1);
    assertThat(inner.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void a_nested_lease_that_was_seen_to_be_lost_stays_so_when_it_is_closed() throws Exception {
    lock.acquire();
    Lease closed = lock.acquire();
    Lease released = lock.acquire();
    scene.ticker.jumpWall(Duration.ofHours(1));
    assertThat(closed.state()).isEqualTo(LeaseState.LOST);
    closed.close();
    assertThat(closed.state()).isEqualTo(LeaseState.LOST);
    assertThat(released.release()).isFalse();
    assertThat(released.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void leases_may_be_closed_in_any_order_and_the_last_one_counts() throws Exception {
    Lease outer = lock.acquire();
    Lease inner = lock.acquire();
    outer.close();
    assertThat(outer.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(outer.isValid()).isFalse();
    assertThat(inner.isValid()).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    inner.close();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
  }

  @Test
  void closing_twice_counts_once() throws Exception {
    Lease outer = lock.acquire();
    Lease inner = lock.acquire();
    inner.close();
    inner.close();
    assertThat(inner.release()).isFalse();
    assertThat(outer.isValid()).isTrue();
    assertThat(outer.release()).isTrue();
    assertThat(outer.release()).isFalse();
  }

  @Test
  void another_thread_may_close_the_lease() throws Exception {
    Lease lease = lock.acquire();
    assertThat(Background.start(lease::release).get()).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    lock.acquire().close();
  }

  @Test
  void re_entry_after_the_loss_throws_until_all_leases_are_closed() throws Exception {
    Lease outer = lock.acquire();
    Lease inner = lock.acquire();
    scene.otherClient().evict("x", LockStore.ANY_TOKEN);
    scene.advance(Duration.ofSeconds(10));
    assertThatThrownBy(lock::acquire).isInstanceOf(LeaseLostException.class);
    inner.close();
    assertThatThrownBy(lock::tryAcquire).isInstanceOf(LeaseLostException.class);
    outer.close();
    try (Lease again = lock.tryAcquire()) {
      assertThat(again.token()).isGreaterThan(outer.token());
    }
  }

  @Test
  void a_lock_that_is_not_reentrant_is_busy_for_its_own_holder() throws Exception {
    DistributedLock strict = scene.locks.mutex("x", OPTIONS.reentrant(false));
    try (Lease lease = strict.acquire()) {
      assertThat(strict.tryAcquire()).isNull();
      assertThat(strict.isHeldByCurrentThread()).isFalse();
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void an_interrupted_thread_still_gives_its_lock_back() throws Exception {
    Lease lease = lock.acquire();
    Thread.currentThread().interrupt();
    assertThat(lease.release()).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }
}
