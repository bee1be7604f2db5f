package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A thread enters its lock again while another thread closes the last lease of it. */
class ReentryBesideCloseTest {

  @Test
  void it_enters_again_or_gets_a_new_grant_wherever_the_close_falls() throws Exception {
    int reading = 1;
    while (closedAt(reading)) {
      reading++;
    }
    assertThat(reading).as("no close fell into a re-entry").isGreaterThan(1);
  }

  /** Returns whether the re-entry read the clock so often that the close fell into it. */
  private static boolean closedAt(int reading) throws Exception {
    AtomicReference<StopTicker> time = new AtomicReference<>();
    try (Clients clients =
        Clients.reading(
            inner -> {
              time.set(new StopTicker(inner));
              return time.get();
            })) {
      DistributedLock lock = clients.client.lock("x");
      return Background.start(() -> enteredAgain(lock, time.get(), reading)).get();
    }
  }

  private static boolean enteredAgain(DistributedLock lock, StopTicker time, int reading)
      throws Exception {
    Lease lease = lock.acquire();
    AtomicReference<Background<Boolean>> closing = new AtomicReference<>();
    time.stopAt(reading, () -> closing.set(Background.start(lease::release).awaitWaiting()));
    Lease again = lock.acquire();
    boolean missed = time.forget();
    if (!missed) {
      assertThat(closing.get().get()).as("release at reading %s", reading).isTrue();
    }
    assertThat(again.isValid()).as("re-entry at reading %s", reading).isTrue();
    again.close();
    return !missed;
  }
}
