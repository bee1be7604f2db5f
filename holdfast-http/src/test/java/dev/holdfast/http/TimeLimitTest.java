package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeLimitTest {

  @AfterEach
  void calm() {
    Thread.interrupted();
  }

  @Test
  void it_ends_a_wait_that_nothing_else_would_end() {
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(
            () -> {
              try (TimeLimit limit = new TimeLimit(Duration.ofMillis(10))) {
                new CountDownLatch(1).await();
              }
            });
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void an_interrupt_that_nobody_noticed_does_not_outlive_it() {
    try (TimeLimit limit = new TimeLimit(Duration.ofMillis(1))) {
      while (!Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void once_closed_it_never_interrupts() {
    for (int i = 0; i < 1_000; i++) { // close and limit meet in every order
      try (TimeLimit limit = new TimeLimit(Duration.ofNanos(20_000))) {
        LockSupport.parkNanos(i % 40 * 1_000L);
      }
      assertThat(Thread.currentThread().isInterrupted()).as("round %d", i).isFalse();
    }
    LockSupport.parkNanos(20_000_000);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void an_interrupt_of_somebody_else_stays() {
    Thread.currentThread().interrupt();
    try (TimeLimit limit = new TimeLimit(Duration.ofHours(1))) {
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
