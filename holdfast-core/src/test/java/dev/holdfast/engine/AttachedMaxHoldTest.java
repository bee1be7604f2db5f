package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A crash does not outlive maxHold, also of a lease that was attached. */
class AttachedMaxHoldTest {

  private static final LockOptions LIMITED =
      LockOptions.defaults().ttl(ofSeconds(8)).maxHold(ofSeconds(8));

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final SilentStore crashing = new SilentStore(new MemoryLockStore(space, ticker));
  private final Holdfast first = client(new MemoryLockStore(space, ticker));
  private final Holdfast attaching = client(crashing);

  private Holdfast client(LockStore store) {
    return Holdfast.builder().store(store).ticker(ticker).executor(Runnable::run).build();
  }

  @AfterEach
  void close() {
    crashing.setAll(Manner.ANSWERS);
    ticker.advance(ofSeconds(10)); // whatever was never answered is given up on
    attaching.close();
    first.close();
  }

  @Test
  void a_client_that_attached_a_lease_and_crashed_blocks_the_lock_until_max_hold_at_most() {
    Lease lease = first.lock("x", LIMITED).acquireAsync().join();
    ticker.advance(ofSeconds(3));
    LeaseHandle handle = lease.detach();
    assertThat(attaching.attach(handle).isValid()).isTrue();
    crashing.setAll(Manner.IGNORES); // nothing that it sends arrives any more
    ticker.advance(ofMillis(4_900));
    assertThat(first.lock("x").tryAcquireAsync().join()).as("before maxHold").isNull();
    ticker.advance(ofMillis(200));
    assertThat(first.lock("x").tryAcquireAsync().join()).as("after maxHold").isNotNull();
  }
}
