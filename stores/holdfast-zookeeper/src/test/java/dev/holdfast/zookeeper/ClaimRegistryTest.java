package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.zookeeper.ClaimRegistry.OwnClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimRegistryTest {

  private final ManualTicker ticker = new ManualTicker();
  private final List<OwnClaim> dead = new ArrayList<>();
  private final ClaimRegistry claims = new ClaimRegistry(ticker, dead::add);
  private final Claim claim =
      ZooKeeperScene.lasting(ZooKeeperScene.mutex("a"), Duration.ofSeconds(4));

  @Test
  void a_claim_that_is_not_renewed_ends_with_its_ttl() {
    OwnClaim own = there();

    ticker.advance(Duration.ofMillis(3999));
    assertThat(dead).isEmpty();
    ticker.advance(Duration.ofMillis(1));

    assertThat(dead).containsExactly(own);
    assertThat(claims.get(own.key)).isNull();
  }

  @Test
  void a_claim_that_is_renewed_lives_on() {
    OwnClaim own = there();

    ticker.advance(Duration.ofSeconds(3));
    assertThat(claims.renewed(own, ticker.nanoTime())).isTrue();
    ticker.advance(Duration.ofSeconds(3));

    assertThat(dead).isEmpty();
  }

  @Test
  void a_late_renewal_does_not_revive_a_claim() {
    OwnClaim own = there();
    ticker.advance(Duration.ofSeconds(4));

    assertThat(claims.renewed(own, ticker.nanoTime())).isFalse();
  }

  @Test
  void an_answer_that_took_longer_than_the_ttl_confirms_nothing() {
    OwnClaim own = new OwnClaim(claim);
    claims.add(own);
    long sent = ticker.nanoTime();
    ticker.advance(Duration.ofSeconds(5));
    claims.stored(own, "/a/b", 1, sent + claim.ttl().toNanos());

    assertThat(claims.renewed(own, sent)).isFalse();
  }

  @Test
  void an_earlier_renewal_that_is_answered_later_shortens_nothing() {
    OwnClaim own = there();
    long early = ticker.nanoTime();
    ticker.advance(Duration.ofSeconds(2));
    long late = ticker.nanoTime();
    claims.renewed(own, late);
    claims.renewed(own, early);

    ticker.advance(Duration.ofSeconds(3));

    assertThat(dead).isEmpty();
  }

  @Test
  void a_stored_claim_needs_a_watch() {
    assertThat(there().needsWatch()).isTrue();
  }

  @Test
  void a_claim_that_has_left_needs_no_watch() {
    OwnClaim own = there();
    claims.end(own);

    assertThat(own.needsWatch()).isFalse();
  }

  @Test
  void a_watched_claim_needs_no_second_watch() {
    OwnClaim own = there();
    own.watched = true;

    assertThat(own.needsWatch()).isFalse();
  }

  private OwnClaim there() {
    OwnClaim own = new OwnClaim(claim);
    claims.add(own);
    claims.stored(own, "/a/b", 1, ticker.nanoTime() + claim.ttl().toNanos());
    return own;
  }
}
