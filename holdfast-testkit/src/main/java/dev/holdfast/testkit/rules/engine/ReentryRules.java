package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The thread that holds a lock may acquire it again. */
public abstract class ReentryRules extends EngineRules {

  /** Pitfall 14. */
  @Test
  void re_entry_has_the_same_token_and_the_last_close_releases() throws Exception {
    DistributedLock lock = a.lock(name);
    Lease outer = lock.acquire();
    Lease inner = lock.acquire();
    Lease innermost = lock.acquire(Duration.ZERO);

    assertThat(inner.token()).isEqualTo(outer.token());
    assertThat(innermost.token()).isEqualTo(outer.token());
    innermost.close();
    outer.close();
    assertThat(isFree(b)).isFalse();
    assertThat(inner.isValid()).isTrue();
    inner.close();

    assertThat(isFree(b)).isTrue();
  }

  @Test
  void a_nested_lease_is_released_although_its_thread_holds_on() throws Exception {
    DistributedLock lock = a.lock(name);
    try (Lease outer = lock.acquire()) {
      Lease inner = lock.acquire();
      inner.close();
      inner.close();

      assertThat(inner.state()).isEqualTo(LeaseState.RELEASED);
      assertThat(inner.isValid()).isFalse();
      assertThat(outer.isValid()).isTrue();
      assertThat(isFree(b)).isFalse();
    }
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void re_entry_needs_no_store() throws Exception {
    FaultyClient cut = scene().faulty();
    DistributedLock lock = cut.locks().lock(name);
    try (Lease outer = lock.acquire()) {
      cut.store().faults(Faults.cutOff());

      try (Lease inner = lock.acquire()) {
        assertThat(inner.isValid()).isTrue();
      }
      cut.store().faults(Faults.none());
    }
  }

  @Test
  void another_thread_of_the_same_client_does_not_re_enter() throws Exception {
    try (Lease lease = a.lock(name).acquire()) {
      assertThat(scene().result(scene().inThread(() -> isNull(a.lock(name).tryAcquire())).result()))
          .isTrue();
    }
  }

  @Test
  void a_lock_that_is_not_reentrant_is_busy_for_its_own_holder() throws Exception {
    DistributedLock lock = a.lock(name, scene().lasting().reentrant(false));
    try (Lease lease = lock.acquire()) {
      assertThat(lock.tryAcquire()).isNull();
    }
  }

  @Test
  void the_asynchronous_methods_do_not_re_enter() throws Exception {
    try (Lease lease = a.lock(name).acquire()) {
      assertThat(scene().result(a.lock(name).tryAcquireAsync())).isNull();
    }
  }

  /** Pitfall 5. */
  @Test
  void re_entry_after_a_loss_throws_until_the_lost_lease_is_closed() throws Exception {
    DistributedLock lock = a.lock(name);
    Lease lost = lock.acquire();
    b.breakLock(name);
    assertThatThrownBy(lost::renew).isInstanceOf(LeaseLostException.class);

    assertThatThrownBy(lock::acquire)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(name)
        .hasMessageContaining("token " + lost.token());
    assertThatThrownBy(lock::tryAcquire).isInstanceOf(LeaseLostException.class);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    lost.close();

    try (Lease again = lock.acquire()) {
      assertThat(again.token()).isGreaterThan(lost.token());
    }
  }

  @Test
  void the_holding_thread_knows_that_it_holds() throws Exception {
    DistributedLock lock = a.lock(name);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    try (Lease lease = lock.acquire()) {
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      assertThat(scene().result(scene().inThread(lock::isHeldByCurrentThread).result())).isFalse();
      assertThat(b.lock(name).isHeldByCurrentThread()).isFalse();
    }
    assertThat(lock.isHeldByCurrentThread()).isFalse();
  }

  @Test
  void a_lease_may_be_closed_by_another_thread() throws Exception {
    Lease lease = a.lock(name).acquire();

    boolean ours = scene().result(scene().inThread(lease::release).result());

    assertThat(ours).isTrue();
    assertThat(a.lock(name).isHeldByCurrentThread()).isFalse();
    assertThat(isFree(b)).isTrue();
  }

  private static boolean isNull(@Nullable Lease lease) {
    return lease == null;
  }
}
