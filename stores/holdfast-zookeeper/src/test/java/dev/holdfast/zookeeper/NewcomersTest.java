package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewcomersTest {

  private final ManualTicker ticker = new ManualTicker();
  private final List<Place> stayed = new ArrayList<>();
  private final Newcomers newcomers = new Newcomers(ticker, stayed::add);

  @Test
  void who_stays_for_a_moment_is_told_once() {
    Place place = letIn();

    ticker.advance(Duration.ofMillis(49));
    assertThat(stayed).isEmpty();
    ticker.advance(Duration.ofMillis(1));
    ticker.advance(Duration.ofSeconds(1));

    assertThat(stayed).containsExactly(place);
  }

  @Test
  void who_has_left_by_then_is_not_told() {
    letIn().end();
    ticker.advance(Duration.ofMillis(30));
    Place later = letIn();

    ticker.advance(Duration.ofMillis(20));
    assertThat(stayed).isEmpty();
    ticker.advance(Duration.ofMillis(50));

    assertThat(stayed).containsExactly(later);
  }

  @Test
  void who_is_watched_already_is_not_told() {
    letIn().watched = true;

    ticker.advance(Duration.ofMillis(50));

    assertThat(stayed).isEmpty();
  }

  private Place letIn() {
    Place place = new Place(ZooKeeperScene.mutex("a"));
    place.move(Place.State.JOINING, Place.State.THERE, ticker.nanoTime());
    newcomers.add(place);
    return place;
  }
}
