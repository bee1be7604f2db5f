package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each answer counts, though the next refresh is always sent before the last one is answered. */
class OverlappingRefreshesTest {

  private static final Duration OPERATION_TIMEOUT = ofSeconds(5);
  private static final Duration LATENCY = ofSeconds(3); // a waiter is refreshed more often

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final CountingStore store =
      new CountingStore(new SlowStore(new MemoryLockStore(space, ticker), ticker, LATENCY));
  private final Holdfast client =
      Holdfast.builder()
          .store(store)
          .operationTimeout(OPERATION_TIMEOUT)
          .ticker(ticker)
          .executor(Runnable::run)
          .build();
  private final Holdfast other =
      Holdfast.builder()
          .store(new MemoryLockStore(space, ticker))
          .ticker(ticker)
          .executor(Runnable::run)
          .build();
  private final Lease theirs = other.lock("x").acquireAsync().join();
  private final CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();

  @AfterEach
  void close() {
    theirs.close();
    other.close();
    waiting.cancel(false);
    ticker.advance(OPERATION_TIMEOUT.multipliedBy(2)); // nothing is under way that close waits for
    client.close();
  }

  private void waitAndHint() {
    ticker.advance(ofSeconds(20));
    store.hint("x"); // a wrong one, which the SPI allows
    ticker.advance(ofSeconds(20));
    assertThat(waiting).isNotDone();
  }

  @Test
  void a_try_beside_a_wait_is_busy() {
    waitAndHint();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Lease> attempt = client.lock("x").tryAcquireAsync();
      ticker.advance(OPERATION_TIMEOUT);
      assertThat(attempt).as("try %d", i).isCompletedWithValue(null);
      ticker.advance(ofMillis(300));
    }
  }

  @Test
  void a_timed_wait_beside_one_without_limit_is_busy() {
    waitAndHint();
    for (long wait = 1_000; wait < 6_000; wait += 300) {
      CompletableFuture<Lease> timed = client.lock("x").tryAcquireAsync(ofMillis(wait));
      ticker.advance(ofMillis(wait).plus(OPERATION_TIMEOUT));
      assertThat(timed).as("a wait of %d ms", wait).isCompletedWithValue(null);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 12, 15, 18})
  void a_lease_is_valid_until_a_margin_before_its_max_hold(int ttlSeconds) {
    LockOptions options = LockOptions.defaults().ttl(ofSeconds(ttlSeconds)).maxHold(ofMinutes(1));
    CompletableFuture<Lease> granted = client.lock("y", options).acquireAsync();
    ticker.advance(LATENCY);
    Lease lease = granted.join();
    Duration margin = options.ttl().minus(options.validFor());
    ticker.advance(ofMinutes(1).minus(margin).minus(ofMillis(1)));
    assertThat(lease.isValid()).as("a margin before maxHold").isTrue();
    ticker.advance(ofMillis(1));
    assertThat(lease.isValid()).isFalse();
  }
}
