package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Real threads at one lock, while a real clock runs. */
class RunningClockTest {

  private static final int THREADS = 16;
  private static final int ROUNDS = 2_000;

  /**
   * An event that was dated before it waited for its turn would find a later grant in its future,
   * and take the difference for a minHold. A store that cannot linger would refuse that leave.
   */
  @Test
  void a_claim_with_no_least_hold_never_lingers() throws Exception {
    CountingStore store = new CountingStore(new MemoryLockStore(Ticker.system("test")));
    try (Holdfast locks = Holdfast.builder().store(store).build()) {
      List<Background<Void>> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(
            Background.start(
                () -> {
                  for (int round = 0; round < ROUNDS; round++) {
                    try (Lease lease = locks.lock("x").acquire()) {
                      assertThat(lease.isValid()).isTrue();
                    }
                  }
                  return (Void) null;
                }));
      }
      for (Background<Void> thread : threads) {
        thread.get();
      }
    }
    assertThat(store.departures).extracting(Departure::linger).containsOnly(Duration.ZERO);
  }
}
