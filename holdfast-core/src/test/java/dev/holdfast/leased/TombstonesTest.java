package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.HandTicker;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TombstonesTest {

  private final HandTicker ticker = new HandTicker();
  private final List<Long> opened = new ArrayList<>();
  private final Tombstones tombstones =
      new Tombstones(
          (seconds, deadline) -> {
            opened.add(seconds);
            return CompletableFuture.completedFuture("lease " + opened.size());
          },
          Duration.ofSeconds(100),
          ticker,
          new Failures("store:"));

  @Test
  void tombstones_share_a_lease_as_long_as_it_outlasts_them() {
    assertThat(lease(5)).isEqualTo("lease 1");
    ticker.advance(Duration.ofSeconds(7));
    assertThat(lease(6)).isEqualTo("lease 1");
    ticker.advance(Duration.ofSeconds(1));
    assertThat(lease(5)).isEqualTo("lease 2");
    assertThat(opened).containsExactly(16L, 16L);
  }

  @Test
  void a_lease_that_has_ended_is_not_used_again() {
    lease(5);
    tombstones.ended("lease 1");

    assertThat(lease(5)).isEqualTo("lease 2");
  }

  @Test
  void no_lease_is_longer_than_the_store_grants() {
    lease(40);

    assertThat(opened).containsExactly(100L);
  }

  private String lease(int seconds) {
    Deadline deadline = Deadline.in(Duration.ofSeconds(5), ticker);
    return tombstones.lease(Duration.ofSeconds(seconds), deadline).join();
  }
}
