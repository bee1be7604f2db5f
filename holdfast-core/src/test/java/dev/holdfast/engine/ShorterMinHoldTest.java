package dev.holdfast.engine;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits given to {@link Lease#extend} replace the old ones, also where they are shorter. */
class ShorterMinHoldTest {

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final Holdfast client = client();
  private final Holdfast other = client();
  private final Lease lease =
      client.lock("x", LockOptions.defaults().minHold(ofMinutes(10))).acquireAsync().join();

  private Holdfast client() {
    return Holdfast.builder()
        .store(new MemoryLockStore(space, ticker))
        .ticker(ticker)
        .executor(Runnable::run)
        .build();
  }

  @AfterEach
  void close() {
    client.close();
    other.close();
  }

  @Test
  void without_a_min_hold_the_lock_is_free_at_once() {
    lease.extend(ofMinutes(20), ZERO);
    lease.close();
    assertThat(other.lock("x").tryAcquireAsync().join()).isNotNull();
  }

  @Test
  void a_shorter_min_hold_counts_from_now() {
    ticker.advance(ofSeconds(30));
    lease.extend(null, ofSeconds(60));
    lease.close();
    ticker.advance(ofSeconds(59));
    assertThat(other.lock("x").tryAcquireAsync().join()).isNull();
    ticker.advance(ofSeconds(1));
    assertThat(other.lock("x").tryAcquireAsync().join()).isNotNull();
  }

  @Test
  void a_detached_lease_takes_the_new_min_hold_along() {
    lease.extend(null, ZERO);
    other.attach(lease.detach()).close();
    assertThat(client.lock("x").tryAcquireAsync().join()).isNotNull();
  }
}
