package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.HandTicker;
import dev.holdfast.leased.HolderWatch.DelayedWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelayedWatchTest {

  private final HandTicker ticker = new HandTicker();
  private final List<String> watched = new ArrayList<>();
  private final DelayedWatch<String> watch =
      new DelayedWatch<>(ticker, Duration.ofMillis(50), watched::add);

  @Test
  void a_claim_is_watched_after_the_delay_and_within_twice_of_it() {
    watch.add("first");
    ticker.advance(Duration.ofMillis(30));
    watch.add("second");

    ticker.advance(Duration.ofMillis(20));
    assertThat(watched).containsExactly("first");

    ticker.advance(Duration.ofMillis(50));
    assertThat(watched).containsExactly("first", "second");
  }
}
