package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BurialsTest {

  private final ManualTicker ticker = new ManualTicker();
  private final Burials burials = new Burials(ticker);
  private final Claim claim =
      ZooKeeperScene.lasting(ZooKeeperScene.mutex("a"), Duration.ofSeconds(4));

  @Test
  void a_claim_is_kept_out_for_its_ttl_and_no_longer() {
    burials.bury(claim);
    assertThat(burials.holds(Place.Key.of(claim))).isTrue();

    ticker.advance(Duration.ofSeconds(4));

    assertThat(burials.holds(Place.Key.of(claim))).isFalse();
  }

  @Test
  void a_second_burial_lasts_longer_than_the_first() {
    burials.bury(claim);
    ticker.advance(Duration.ofSeconds(3));
    burials.bury(claim);

    ticker.advance(Duration.ofSeconds(2));

    assertThat(burials.holds(Place.Key.of(claim))).isTrue();
  }
}
