package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeasedLock;
import dev.holdfast.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lease of a lock view is for looking and acting; the entry ends by {@code unlock()}. */
class ViewLeaseTest {

  private final HandTicker ticker = new HandTicker();
  private final Holdfast client =
      Holdfast.builder()
          .store(new MemoryLockStore(ticker))
          .ticker(ticker)
          .executor(Runnable::run)
          .build();
  private final DistributedLock lock = client.lock("x");
  private final LeasedLock view = lock.asLock();

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void ending_it_is_refused_and_names_unlock() {
    view.lock();
    Lease lease = view.lease();
    assertThatThrownBy(lease::close)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("unlock()");
    assertThatThrownBy(lease::release)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("unlock()");
    assertThatThrownBy(lease::releaseAsync)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("unlock()");
    assertThat(lease.isValid()).isTrue();
    view.unlock();
    assertThat(lease.isValid()).isFalse();
    assertThat(client.inspect("x").isHeld()).isFalse();
  }

  @Test
  void two_of_them_release_no_entry_but_the_one_of_the_view() throws Exception {
    try (Lease outer = lock.acquire()) {
      view.lock();
      endIfPossible(view.lease(), view.lease());
      assertThat(outer.isValid()).isTrue();
      assertThat(client.inspect("x").isHeld()).isTrue();
    }
  }

  private static void endIfPossible(Lease... leases) {
    for (Lease lease : leases) {
      try {
        lease.close();
      } catch (UnsupportedOperationException refused) {
        // Then it has released nothing, which the caller looks at.
      }
    }
  }
}
