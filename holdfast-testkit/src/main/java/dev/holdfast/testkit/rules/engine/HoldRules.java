package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.testkit.rules.Rules;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a lock is held, and by which thread. */
public abstract class HoldRules extends EngineRules {

  @Test
  void a_lease_whose_max_hold_is_lifted_outlives_it() throws Exception {
    LeaseState state = LeaseState.LOST;
    // A machine that stalls for longer than validFor loses it, but not longer and longer ones.
    for (int factor = 2; state == LeaseState.LOST && factor <= 8; factor *= 2) {
      LockOptions options = scene().brief().ttl(scene().brief().ttl().multipliedBy(factor));
      Lease lease = a.lock(name, options.maxHold(options.ttl())).acquire();

      lease.extend(null, Duration.ZERO);
      scene().pass(options.ttl().multipliedBy(2));

      state = lease.state();
      assertThat(isFree(b)).isEqualTo(state == LeaseState.LOST);
      lease.close();
    }
    assertThat(state).isIn(LeaseState.HELD, LeaseState.JEOPARDY);
  }

  @Test
  void a_lease_that_gets_a_max_hold_ends_by_it() throws Exception {
    LockOptions options = scene().brief();
    Lease lease = a.lock(name, options).acquire();

    lease.extend(options.ttl(), Duration.ZERO);

    scene().eventually("it is lost", () -> lease.state() == LeaseState.LOST);
    assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    scene().eventually("another client can have it", () -> isFree(b));
  }

  @Test
  void a_min_hold_that_is_asked_for_later_counts_from_then() throws Exception {
    Duration shortest = Duration.ofMillis(600);
    Lease lease = a.lock(name).acquire();
    if (!scene().traits().lingers()) {
      assertThatThrownBy(() -> lease.extend(null, shortest))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("minHold");
      assertThat(lease.isValid()).isTrue();
      return;
    }
    long start = scene().nanoTime();

    lease.extend(null, shortest);
    release(lease);

    scene().eventually("another client can have it", () -> isFree(b));
    assertThat(Duration.ofNanos(scene().nanoTime() - start))
        .isGreaterThanOrEqualTo(shortest.minus(Rules.CLOCK_TOLERANCE));
  }

  @Test
  void limits_that_cannot_be_kept_are_refused_and_a_lease_that_is_over_has_none() throws Exception {
    LockOptions options = scene().lasting();
    Lease lease = a.lock(name, options).acquire();

    assertThatThrownBy(() -> lease.extend(options.ttl().dividedBy(2), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxHold");
    assertThat(lease.isValid()).isTrue();
    assertThat(b.breakLock(name)).isTrue();
    assertThatThrownBy(() -> lease.extend(null, Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);
    lease.close();
    assertThatThrownBy(() -> lease.extend(null, Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void a_detached_lease_keeps_its_max_hold() throws Exception {
    LockOptions options = scene().brief();
    Lease lease = a.lock(name, options.maxHold(options.ttl())).acquire();
    if (!scene().traits().detachable()) {
      assertThatThrownBy(lease::detach).isInstanceOf(UnsupportedOperationException.class);
      return;
    }

    Lease resumed = b.attach(LeaseHandle.parse(lease.detach().secret()));

    scene().eventually("it is lost", () -> resumed.state() == LeaseState.LOST);
    scene().eventually("another client can have it", () -> isFree(a));
  }

  @Test
  void the_thread_of_a_lease_that_is_unbound_queues_like_any_other() throws Exception {
    DistributedLock lock = a.lock(name);
    Lease lease = lock.acquire();

    lease.unbind();

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lock.tryAcquire()).isNull();
    assertThat(lease.isValid()).isTrue();
    assertThat(scene().resultInTime(scene().inThread(lease::release).result())).isTrue();
    release(lock.acquire());
  }

  @Test
  void an_uninterruptible_wait_goes_on_and_the_interrupt_is_kept() throws Exception {
    Lease held = a.lock(name).acquire();
    Task<Boolean> waiter =
        scene()
            .inThread(
                () -> {
                  try (Lease lease = b.lock(name).acquireUninterruptibly()) {
                    return lease.isValid() && Thread.currentThread().isInterrupted();
                  }
                });
    scene().soon("it waits", () -> waiter.thread().getState() == Thread.State.WAITING);
    waiter.thread().interrupt();
    awaitWaiter();
    assertThat(waiter.isDone()).isFalse();

    release(held);

    assertThat(scene().resultInTime(waiter.result())).isTrue();
  }
}
