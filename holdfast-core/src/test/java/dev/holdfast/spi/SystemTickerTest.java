package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Registration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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
  void tasks_run_in_the_order_of_their_moments() throws Exception {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      CountDownLatch mayGoOn = new CountDownLatch(1);
      CountDownLatch done = new CountDownLatch(4);
      List<Integer> order = new CopyOnWriteArrayList<>();
      int[] delays = {30, 10, 20, 10};
      long[] earliest = new long[delays.length];
      long[] latest = new long[delays.length];
      ticker.schedule(Duration.ZERO, () -> awaitQuietly(mayGoOn)); // the thread is busy
      for (int i = 0; i < delays.length; i++) {
        int task = i;
        Duration delay = Duration.ofMillis(delays[i]);
        earliest[i] = ticker.nanoTime() + delay.toNanos();
        ticker.schedule(
            delay,
            () -> {
              order.add(task);
              done.countDown();
            });
        latest[i] = ticker.nanoTime() + delay.toNanos();
      }
      mayGoOn.countDown();
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3);
      for (int i = 1; i < delays.length; i++) {
        int before = order.get(i - 1);
        int after = order.get(i);
        // Not by the delays: a machine that is busy may pause between two of the calls.
        assertThat(earliest[before] - latest[after]).as("%s", order).isNotPositive();
      }
    }
  }

  /** A limit for each of many operations that answer in time. */
  @Test
  void tasks_that_are_taken_back_wake_nobody_and_leave_nothing() {
    try (SystemTicker ticker = new SystemTicker("holdfast-test-timer")) {
      for (int i = 0; i < 10_000; i++) {
        ticker.schedule(Duration.ofHours(1), () -> {}).close();
      }
      assertThat(ticker.pending()).isZero();
      assertThat(ticker.plans()).isEqualTo(1);
    }
  }

  @Test
  void an_earlier_task_does_not_wait_for_a_later_one() throws Exception {
    try (Ticker ticker = Ticker.system("holdfast-test-timer")) {
      CountDownLatch ran = new CountDownLatch(2);
      ticker.schedule(Duration.ofHours(1), () -> {});
      ticker.schedule(
          Duration.ofMillis(1),
          () -> {
            ran.countDown();
            ticker.schedule(Duration.ofMillis(1), ran::countDown);
          });
      assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void many_threads_lose_no_task() throws Exception {
    try (SystemTicker ticker = new SystemTicker("holdfast-test-timer")) {
      int threads = 4;
      int each = 5_000;
      CountDownLatch ran = new CountDownLatch(threads * each / 2);
      for (int i = 0; i < threads; i++) {
        new Thread(
                () -> {
                  for (int task = 0; task < each; task++) {
                    Duration delay = Duration.ofNanos(task * 7919L % 3_000_000);
                    if (task % 2 == 0) {
                      ticker.schedule(delay, ran::countDown);
                    } else {
                      ticker.schedule(delay.plusSeconds(60), () -> {}).close();
                    }
                  }
                })
            .start();
      }
      assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(ticker.pending()).isZero();
    }
  }

  @Test
  void a_wait_longer_than_time_can_be_counted_is_for_ever() {
    try (SystemTicker ticker = new SystemTicker("holdfast-test-timer")) {
      ticker.schedule(Duration.ofDays(106_000), () -> {});
      assertThat(ticker.pending()).isEqualTo(1);
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
