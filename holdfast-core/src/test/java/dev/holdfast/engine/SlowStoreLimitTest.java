package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timed waits on a store that answers everything after 60 % of the operation time-out. */
class SlowStoreLimitTest {

  private static final Duration OPERATION_TIMEOUT = ofSeconds(5);
  private static final Duration LATENCY = ofSeconds(3);

  private final HandTicker ticker = new HandTicker();
  private final MemorySpace space = new MemorySpace();
  private final Holdfast client =
      Holdfast.builder()
          .store(new SlowStore(new MemoryLockStore(space, ticker), ticker, LATENCY))
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

  @AfterEach
  void close() {
    theirs.close();
    other.close();
    ticker.advance(OPERATION_TIMEOUT.multipliedBy(2)); // nothing is under way that close waits for
    client.close();
  }

  @Test
  void a_lock_that_stays_taken_is_busy_within_one_time_out_after_the_limit() {
    // Whatever is on its way when the limit strikes, and for how long.
    for (long wait = 4_000; wait < 14_000; wait += 100) {
      CompletableFuture<Lease> waiting = client.lock("x").tryAcquireAsync(ofMillis(wait));
      ticker.advance(ofMillis(wait).plus(OPERATION_TIMEOUT));
      assertThat(waiting).as("a wait of %d ms", wait).isCompletedWithValue(null);
      assertThat(other.inspect("x").waiters()).isEmpty();
      ticker.advance(OPERATION_TIMEOUT);
    }
  }

  @Test
  void a_wait_that_is_shorter_than_one_answer_is_decided_by_it() {
    theirs.close();
    for (long wait = 1; wait < 3_000; wait += 100) {
      CompletableFuture<Lease> waiting = client.lock("x").tryAcquireAsync(ofMillis(wait));
      ticker.advance(LATENCY);
      assertThat(waiting.join().isValid()).as("a wait of %d ms", wait).isTrue();
      waiting.join().releaseAsync();
      ticker.advance(LATENCY);
    }
  }

  @Test
  void a_wait_that_is_shorter_than_one_answer_ends_in_time_on_a_lock_that_is_taken() {
    for (long wait = 1; wait < 4_000; wait += 100) {
      CompletableFuture<Lease> waiting = client.lock("x").tryAcquireAsync(ofMillis(wait));
      ticker.advance(ofMillis(wait).plus(OPERATION_TIMEOUT));
      // Join and leave together take longer than that, so it may be unknown; it is not granted.
      assertThat(waiting).as("a wait of %d ms", wait).isDone();
      ticker.advance(LATENCY.multipliedBy(2));
      assertThat(other.inspect("x").waiters()).isEmpty();
    }
  }
}
