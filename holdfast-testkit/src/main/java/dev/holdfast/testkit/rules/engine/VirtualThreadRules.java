package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiting costs no platform thread. For JVMs that have virtual threads. */
@Tag("virtual-threads")
public abstract class VirtualThreadRules extends EngineRules {

  private static final int WAITERS = 10_000;

  /** Pitfall 30. */
  @Test
  void ten_thousand_virtual_threads_wait_for_one_lock_and_all_get_it() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    Lease held = a.lock(name).acquire();
    for (int i = 0; i < WAITERS; i++) {
      startVirtual(
          () -> {
            try (Lease lease = a.lock(name).acquire()) {
              if (inside.incrementAndGet() != 1) {
                overlaps.incrementAndGet();
              }
              Thread.onSpinWait();
              inside.decrementAndGet();
              served.incrementAndGet();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }

    held.close();

    scene().eventually("all are served", () -> served.get() == WAITERS);
    assertThat(overlaps).hasValue(0);
    scene().eventually("the last one has let go", () -> isFree(b));
  }

  // By reflection: this class is compiled for Java 17.
  private static void startVirtual(Runnable task) throws ReflectiveOperationException {
    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }
}
