package dev.holdfast.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockOptions;
import dev.holdfast.engine.HandTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ValidityTest {

  private static final LockSpec SPEC =
      LockSpec.mutex(LockOptions.defaults().ttl(Duration.ofSeconds(20))); // valid 15 s, margin 5 s

  private final HandTicker ticker = new HandTicker();
  private final Validity validity =
      new Validity(new Moment(ticker), SPEC.validNanos, SPEC.marginNanos, false);

  private Duration left() {
    return Duration.ofNanos(validity.remaining(new Moment(ticker)));
  }

  @Test
  void it_counts_from_the_send_on_the_monotonic_clock() {
    assertThat(left()).isEqualTo(Duration.ofSeconds(15));
    ticker.advance(Duration.ofSeconds(14)); // over the clock's overflow
    assertThat(left()).isEqualTo(Duration.ofSeconds(1));
    ticker.advance(Duration.ofSeconds(1));
    assertThat(left()).isZero();
    ticker.advance(Duration.ofSeconds(1));
    assertThat(left()).isNegative();
  }

  @Test
  void wall_time_that_runs_ahead_by_up_to_the_margin_is_forgiven() {
    ticker.jumpWall(Duration.ofSeconds(5));
    assertThat(left()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void wall_time_that_runs_ahead_by_more_than_the_margin_ends_it() {
    ticker.jumpWall(Duration.ofSeconds(5).plusMillis(1));
    assertThat(left()).isZero();
  }

  @Test
  void wall_time_that_steps_back_does_not_prolong_it() {
    ticker.jumpWall(Duration.ofHours(-1));
    assertThat(left()).isEqualTo(Duration.ofSeconds(15));
    ticker.advance(Duration.ofSeconds(15));
    assertThat(left()).isZero();
  }
}
