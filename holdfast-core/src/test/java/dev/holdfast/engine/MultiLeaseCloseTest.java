package dev.holdfast.engine;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseState;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.memory.MemoryLockStore;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A lease of several locks that ends with its own client is released, not lost. */
class MultiLeaseCloseTest {

  private final HandTicker ticker = new HandTicker();
  private final Holdfast client =
      Holdfast.builder()
          .store(new MemoryLockStore(ticker))
          .ticker(ticker)
          .executor(Runnable::run)
          .build();
  private final MultiLock locks = client.lockAll(List.of("a", "b"));
  private final AtomicInteger losses = new AtomicInteger();

  @Test
  void closing_it_afterwards_tells_no_loss() throws Exception {
    try (Logs.Recording logs = Logs.record()) {
      MultiLease lease = locks.acquire();
      lease.onLost(losses::incrementAndGet);
      client.close();
      lease.onLost(losses::incrementAndGet);
      lease.close();
      ticker.advance(ofMinutes(5));
      assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
      assertThat(losses).hasValue(0);
      assertThat(logs.atLeast(Level.WARNING)).isEmpty();
    }
  }

  @Test
  void a_task_that_closes_its_client_has_lost_nothing() {
    assertThatCode(() -> locks.run(client::close)).doesNotThrowAnyException();
  }

  @Test
  void a_task_that_closes_one_part_and_its_client_has_lost_nothing() {
    assertThatCode(
            () ->
                locks.run(
                    lease -> {
                      lease.part("a").close();
                      client.close();
                    }))
        .doesNotThrowAnyException();
  }

  @Test
  void a_task_under_one_lock_that_closes_its_client_has_lost_nothing() {
    assertThatCode(() -> client.lock("x").run(client::close)).doesNotThrowAnyException();
  }
}
