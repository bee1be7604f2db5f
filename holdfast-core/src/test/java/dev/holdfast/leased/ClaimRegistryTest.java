package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.engine.HandTicker;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimRegistryTest {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HandTicker ticker = new HandTicker();
  private final ClaimRegistry registry = new ClaimRegistry(ticker, TIMEOUT);
  private final Claim claim = claim(TTL);
  private final Place place = new Place("key", 5);

  @Test
  void a_claim_has_its_spare_tokens_whatever_was_granted_elsewhere() {
    registry.renewing(claim, soon());
    long token = Tokens.ofRevision(5);
    long later = Tokens.ofRevision(9);

    assertThat(granted(claim.asking(3, later)).spares()).isEqualTo(new Tokens(token + 1, 3));
    assertThat(granted(claim.asking(2, later)).spares()).isEqualTo(new Tokens(token + 4, 2));
  }

  @Test
  void spare_tokens_that_the_client_has_seen_are_not_given_again() {
    registry.renewing(claim, soon());
    long token = Tokens.ofRevision(5);

    assertThat(granted(claim.asking(3, token + 7)).spares()).isEqualTo(new Tokens(token + 8, 3));
  }

  @Test
  void a_claim_that_is_not_renewed_any_more_is_forgotten() {
    registry.renewing(claim, soon());
    granted(claim);

    ticker.advance(TTL.plus(TIMEOUT).plusMinutes(1));
    registry.sweep();
    assertThat(registry.grantedPlace(claim)).isEqualTo(place);

    ticker.advance(Duration.ofNanos(1));
    registry.sweep();
    assertThat(registry.grantedPlace(claim)).isNull();
  }

  @Test
  void no_join_is_sent_again_once_its_claim_is_leaving() {
    registry.renewing(claim, soon());
    assertThat(registry.repeating(claim)).isTrue();

    assertThat(registry.leaving(claim)).isTrue();

    assertThat(registry.repeating(claim)).isFalse();
    assertThat(registry.isEnding(claim)).isTrue();
  }

  @Test
  void that_a_join_was_repeated_is_known_until_its_claim_has_left() {
    registry.renewing(claim, soon());
    registry.repeating(claim);
    registry.leaving(claim);
    registry.gone(ClaimKey.of(claim));
    assertThat(registry.leaving(claim)).isTrue();

    registry.left(claim);

    assertThat(registry.leaving(claim)).isFalse();
  }

  @Test
  void the_place_of_a_claim_is_unknown_once_it_joins_again() {
    assertThat(registry.joining(claim, soon())).isFalse();
    granted(claim);
    assertThat(registry.place(claim)).isEqualTo(place);

    assertThat(registry.joining(claim, soon())).isTrue();

    assertThat(registry.place(claim)).isNull();
  }

  @Test
  void a_renewal_does_not_revive_a_claim_that_is_leaving() {
    registry.renewing(claim, soon());
    registry.leaving(claim);

    registry.renewing(claim, soon());
    assertThat(registry.isEnding(claim)).isTrue();

    registry.joining(claim, soon());
    assertThat(registry.isEnding(claim)).isFalse();
  }

  @Test
  void a_key_is_unclaimed_once_its_claim_was_not_renewed_in_time() {
    List<String> both = List.of(place.key(), "other");
    registry.joining(claim, soon());
    granted(claim);

    ticker.advance(TTL.plus(TIMEOUT));
    assertThat(registry.unclaimed(both)).containsExactly("other");
    assertThat(registry.expire(ClaimKey.of(claim))).isFalse();

    ticker.advance(Duration.ofNanos(1));
    assertThat(registry.unclaimed(both)).isEqualTo(both);
    assertThat(registry.expire(ClaimKey.of(claim))).isTrue();
  }

  @Test
  void a_waiting_claim_is_wanted_for_the_ttl_of_waiters_and_a_granted_one_for_its_own() {
    Claim longer = claim(Duration.ofSeconds(60));
    registry.joining(longer, soon());
    registry.queued(longer, place);
    ticker.advance(Claim.MAX_WAITING_TTL.plus(TIMEOUT).plusNanos(1));
    assertThat(registry.unclaimed(List.of("key"))).containsExactly("key");

    registry.renewing(longer, soon());
    granted(longer);
    ticker.advance(Duration.ofSeconds(60).plus(TIMEOUT));
    assertThat(registry.unclaimed(List.of("key"))).isEmpty();
  }

  @Test
  void a_claim_is_wanted_as_long_as_its_operation_may_take() {
    Duration longer = TIMEOUT.plusSeconds(7);
    registry.joining(claim, Deadline.in(longer, ticker));
    granted(claim);

    ticker.advance(TTL.plus(longer));
    assertThat(registry.unclaimed(List.of(place.key()))).isEmpty();

    ticker.advance(Duration.ofNanos(1));
    assertThat(registry.unclaimed(List.of(place.key()))).containsExactly(place.key());
  }

  @Test
  void an_overdue_claim_is_named_until_it_is_deleted_or_renewed() {
    registry.renewing(claim, soon());
    ticker.advance(claim.waitingTtl().plus(TIMEOUT));
    assertThat(registry.overdue(1)).isEmpty();
    ticker.advance(Duration.ofNanos(1));
    assertThat(registry.overdue(1)).containsExactly(ClaimKey.of(claim));
    assertThat(registry.overdue(0)).isEmpty();

    registry.renewing(claim, soon());
    registry.forgetOverdue(ClaimKey.of(claim));
    assertThat(registry.isEmpty()).as("it was renewed").isFalse();

    ticker.advance(claim.waitingTtl().plus(TIMEOUT).plusNanos(1));
    registry.forgetOverdue(ClaimKey.of(claim));
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void a_claim_that_is_being_deleted_stays_registered_when_its_key_is_missing() {
    registry.renewing(claim, soon());
    ticker.advance(Duration.ofMinutes(1));
    assertThat(registry.expire(ClaimKey.of(claim))).isTrue();

    registry.missing(ClaimKey.of(claim));
    registry.renewing(claim, soon());
    assertThat(registry.isEnding(claim)).isTrue();

    registry.gone(ClaimKey.of(claim));
    registry.renewing(claim, soon());
    assertThat(registry.isEnding(claim)).isFalse();
    registry.missing(ClaimKey.of(claim));
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void locks_of_granted_claims_are_held() {
    registry.renewing(claim, soon());
    assertThat(registry.heldLocks()).isEmpty();

    granted(claim);

    assertThat(registry.heldLocks()).containsExactly("lock");
  }

  private Granted granted(Claim asked) {
    return registry.granted(ClaimKey.of(asked), asked, place, false);
  }

  private static Claim claim(Duration ttl) {
    Owner owner = new Owner("host", 1, "thread", "client", "");
    return new Claim("id", "lock", Kind.MUTEX, 1, 1, owner, ttl, null, 0, 0);
  }

  /** As the engine usually gives it. */
  private Deadline soon() {
    return Deadline.in(TIMEOUT, ticker);
  }
}
