package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManualTickerTest {

  private final ManualTicker ticker = new ManualTicker();
  private final List<String> ran = new ArrayList<>();

  @Test
  void time_stands_still_until_it_is_moved() {
    long nanos = ticker.nanoTime();
    long micros = ticker.wallMicros();

    assertThat(ticker.nanoTime()).isEqualTo(nanos);
    ticker.advance(Duration.ofSeconds(2));

    assertThat(ticker.nanoTime() - nanos).isEqualTo(2_000_000_000L);
    assertThat(ticker.wallMicros() - micros).isEqualTo(2_000_000L);
    assertThat(ticker.sinceStart()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void tasks_run_in_the_order_in_which_they_are_due_and_see_the_moment_they_were_due() {
    long start = ticker.nanoTime();
    ticker.schedule(Duration.ofMillis(20), () -> ran.add("b" + (ticker.nanoTime() - start)));
    ticker.schedule(Duration.ofMillis(10), () -> ran.add("a" + (ticker.nanoTime() - start)));
    ticker.schedule(Duration.ofMillis(20), () -> ran.add("c" + (ticker.nanoTime() - start)));

    ticker.advance(Duration.ofMillis(19));
    assertThat(ran).containsExactly("a10000000");
    ticker.advance(Duration.ofMillis(100));

    assertThat(ran).containsExactly("a10000000", "b20000000", "c20000000");
  }

  @Test
  void a_task_scheduled_by_a_task_runs_in_the_same_advance_if_it_is_due() {
    ticker.schedule(
        Duration.ofMillis(1),
        () -> {
          ran.add("first");
          ticker.schedule(Duration.ofMillis(1), () -> ran.add("second"));
          ticker.schedule(Duration.ofMillis(9), () -> ran.add("third"));
        });

    ticker.advance(Duration.ofMillis(5));

    assertThat(ran).containsExactly("first", "second");
    assertThat(ticker.pending()).isEqualTo(1);
  }

  @Test
  void a_task_that_was_taken_back_does_not_run() {
    Registration task = ticker.schedule(Duration.ofMillis(1), () -> ran.add("never"));
    task.close();
    task.close();

    ticker.advance(Duration.ofSeconds(1));

    assertThat(ran).isEmpty();
  }

  @Test
  void advancing_to_the_next_task_runs_that_one_alone() {
    ticker.schedule(Duration.ofHours(1), () -> ran.add("one"));
    ticker.schedule(Duration.ofHours(1), () -> ran.add("two"));

    assertThat(ticker.advanceToNext()).isTrue();

    assertThat(ran).containsExactly("one");
    assertThat(ticker.sinceStart()).isEqualTo(Duration.ofHours(1));
    assertThat(ticker.advanceToNext()).isTrue();
    assertThat(ticker.advanceToNext()).isFalse();
  }

  @Test
  void the_wall_clock_jumps_alone() {
    long nanos = ticker.nanoTime();
    long micros = ticker.wallMicros();

    ticker.jumpWall(Duration.ofHours(-1));

    assertThat(ticker.nanoTime()).isEqualTo(nanos);
    assertThat(ticker.wallMicros() - micros).isEqualTo(-3_600_000_000L);
  }

  @Test
  void a_task_that_throws_keeps_no_other_from_running() {
    ticker.schedule(
        Duration.ofMillis(1),
        () -> {
          throw new IllegalStateException("on purpose");
        });
    ticker.schedule(Duration.ofMillis(2), () -> ran.add("ran"));

    assertThatIllegalStateException()
        .isThrownBy(() -> ticker.advance(Duration.ofMillis(5)))
        .withMessage("on purpose");

    assertThat(ran).containsExactly("ran");
    assertThat(ticker.sinceStart()).isEqualTo(Duration.ofMillis(5));
  }

  @Test
  void a_task_must_not_advance_and_time_must_not_go_back() {
    ticker.schedule(Duration.ZERO, () -> ticker.advance(Duration.ofMillis(1)));

    assertThatThrownBy(() -> ticker.advance(Duration.ZERO))
        .hasMessageContaining("must not advance");
    assertThatThrownBy(() -> ticker.advance(Duration.ofMillis(-1)))
        .hasMessageContaining("does not go back");
  }

  @Test
  void the_monotonic_clock_overflows_within_the_first_minute() {
    long start = ticker.nanoTime();

    ticker.advance(Duration.ofMinutes(1));

    assertThat(ticker.nanoTime()).isLessThan(start);
    assertThat(ticker.nanoTime() - start).isEqualTo(Duration.ofMinutes(1).toNanos());
  }
}
