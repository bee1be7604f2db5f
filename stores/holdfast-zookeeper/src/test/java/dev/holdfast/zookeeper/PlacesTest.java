package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacesTest {

  private final ManualTicker ticker = new ManualTicker();
  private final List<Place> dead = new ArrayList<>();
  private final Places places = new Places(ticker, dead::add);
  private final Claim claim =
      ZooKeeperScene.lasting(ZooKeeperScene.mutex("a"), Duration.ofSeconds(4));

  @Test
  void a_claim_that_nobody_renews_ends_with_its_ttl() {
    Place place = there();

    ticker.advance(Duration.ofMillis(3999));
    assertThat(dead).isEmpty();
    ticker.advance(Duration.ofMillis(1));

    assertThat(dead).containsExactly(place);
    assertThat(places.get(place.key)).isNull();
  }

  @Test
  void a_claim_that_is_renewed_lives_on() {
    Place place = there();

    ticker.advance(Duration.ofSeconds(3));
    assertThat(places.arm(place, ticker.nanoTime())).isTrue();
    ticker.advance(Duration.ofSeconds(3));

    assertThat(dead).isEmpty();
  }

  @Test
  void a_renewal_that_comes_too_late_revives_nobody() {
    Place place = there();
    ticker.advance(Duration.ofSeconds(4));

    assertThat(places.arm(place, ticker.nanoTime())).isFalse();
  }

  @Test
  void an_answer_that_took_longer_than_the_ttl_confirms_nothing() {
    Place place = new Place(claim);
    places.add(place);
    long sent = ticker.nanoTime();
    ticker.advance(Duration.ofSeconds(5));
    places.found(place, Place.State.JOINING, "/a/b", 1, sent + claim.ttl().toNanos());

    assertThat(places.arm(place, sent)).isFalse();
  }

  @Test
  void an_earlier_renewal_that_is_answered_later_shortens_nothing() {
    Place place = there();
    long early = ticker.nanoTime();
    ticker.advance(Duration.ofSeconds(2));
    long late = ticker.nanoTime();
    places.arm(place, late);
    places.arm(place, early);

    ticker.advance(Duration.ofSeconds(3));

    assertThat(dead).isEmpty();
  }

  private Place there() {
    Place place = new Place(claim);
    places.add(place);
    places.found(place, Place.State.JOINING, "/a/b", 1, ticker.nanoTime() + claim.ttl().toNanos());
    return place;
  }
}
