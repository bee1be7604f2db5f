package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SystemTickerTest {

  @Test
  void tasks_run_on_one_daemon_thread_of_the_given_name() throws Exception {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      CompletableFuture<Thread> first = new CompletableFuture<>();
      CompletableFuture<Thread> second = new CompletableFuture<>();
      ticker.schedule(Duration.ZERO, () -> first.complete(Thread.currentThread()));
      ticker.schedule(Duration.ZERO, () -> second.complete(Thread.currentThread()));
      assertThat(first.get().getName()).isEqualTo("holdfast-test-timer");
      assertThat(first.get().isDaemon()).isTrue();
      assertThat(second.get()).isSameAs(first.get());
    }
  }

  @Test
  void a_task_that_throws_does_not_silence_the_next_one() throws Exception {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      CountDownLatch ran = new CountDownLatch(1);
      ticker.schedule(
          Duration.ZERO,
          () -> {
            throw new IllegalStateException("on purpose");
          });
      ticker.schedule(
          Duration.ZERO,
          () -> {
            throw new AssertionError("on purpose");
          });
      ticker.schedule(Duration.ZERO, ran::countDown);
      assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_task_that_was_taken_back_does_not_run() throws Exception {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      CountDownLatch mayGoOn = new CountDownLatch(1);
      ticker.schedule(Duration.ZERO, () -> awaitQuietly(mayGoOn)); // the thread is busy
      AtomicBoolean ran = new AtomicBoolean();
      Registration task = ticker.schedule(Duration.ZERO, () -> ran.set(true));
      task.close();
      task.close();
      CountDownLatch after = new CountDownLatch(1);
      ticker.schedule(Duration.ZERO, after::countDown);
      mayGoOn.countDown();
      assertThat(after.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(ran).isFalse();
    }
  }

  @Test
  void a_closed_ticker_takes_no_task_and_does_not_complain() {
    Ticker ticker = Ticker.system("holdfast-test-timer");
    ticker.close();
    assertThat(ticker.schedule(Duration.ZERO, () -> {})).isSameAs(Registration.NONE);
  }

  @Test
  void it_tells_both_clocks() {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      long nanos = ticker.nanoTime();
      assertThat(System.nanoTime() - nanos).isNotNegative();
      assertThat(ticker.wallMicros()).isGreaterThan(1_600_000_000_000_000L);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
