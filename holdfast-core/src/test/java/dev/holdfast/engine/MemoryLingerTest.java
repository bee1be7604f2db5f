package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.OPERATION_TIMEOUT;
import static dev.holdfast.engine.Scene.OPTIONS;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** In the memory store each client has its own timer. */
class MemoryLingerTest {

  private final MemorySpace space = new MemorySpace();

  @Test
  void a_waiter_is_granted_at_the_end_of_a_min_hold_though_the_holders_client_has_closed() {
    HandTicker ticker = new HandTicker();
    Engine ended = engine(new HandTicker());
    Engine waits = engine(ticker);
    LockSpec job = LockSpec.mutex(OPTIONS.minHold(ofMillis(1500)));
    Lease lease = ended.acquireAsync("job", job, Request.FOR_EVER).join();
    CompletableFuture<Lease> next = waits.acquireAsync("job", MUTEX, Request.FOR_EVER);
    lease.close();
    ended.close();
    ticker.advance(ofMillis(1499));
    assertThat(next).isNotDone();
    ticker.advance(ofMillis(1));
    await().untilAsserted(() -> assertThat(next).isCompleted()); // on a separate thread
    waits.close();
  }

  private Engine engine(HandTicker ticker) {
    MemoryLockStore store = new MemoryLockStore(space, ticker);
    return new Engine(
        new EngineSettings(
            store, ticker, true, Runnable::run, List.of(), "", OPERATION_TIMEOUT, LeakReports.OFF));
  }
}
