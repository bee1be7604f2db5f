package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RollTest {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Roll roll = new Roll(ticker, TIMEOUT);
  private final Claim claim = Ask.mutex("lock", TTL);
  private final Seat seat = new Seat(ByteString.copyFromUtf8("seat"), 5);

  @Test
  void a_claim_has_its_spare_tokens_whatever_was_granted_elsewhere() {
    roll.call(claim, soon());
    long token = Tokens.ofRevision(5);
    long later = Tokens.ofRevision(9);

    assertThat(roll.granted(claim.asking(3, later), seat).spares())
        .isEqualTo(new Tokens(token + 1, 3));
    assertThat(roll.granted(claim.asking(2, later), seat).spares())
        .isEqualTo(new Tokens(token + 4, 2));
  }

  @Test
  void spare_tokens_that_the_client_has_seen_are_not_given_again() {
    roll.call(claim, soon());
    long token = Tokens.ofRevision(5);

    assertThat(roll.granted(claim.asking(3, token + 7), seat).spares())
        .isEqualTo(new Tokens(token + 8, 3));
  }

  @Test
  void a_claim_that_nobody_speaks_for_any_more_is_forgotten() {
    roll.call(claim, soon());
    roll.granted(claim, seat);
    Duration patience = TTL.plus(TIMEOUT).multipliedBy(2);

    ticker.advance(patience);
    roll.sweep();
    assertThat(roll.held(claim)).isEqualTo(seat);

    ticker.advance(Duration.ofNanos(1));
    roll.sweep();
    assertThat(roll.held(claim)).isNull();
  }

  @Test
  void no_join_is_sent_again_once_its_claim_is_leaving() {
    roll.call(claim, soon());
    assertThat(roll.doubt(claim)).isTrue();

    assertThat(roll.leave(claim)).isTrue();

    assertThat(roll.doubt(claim)).isFalse();
    assertThat(roll.isCondemned(claim)).isTrue();
  }

  @Test
  void the_doubt_about_a_join_lasts_until_its_claim_has_left() {
    roll.call(claim, soon());
    roll.doubt(claim);
    roll.leave(claim);
    roll.strike(ClaimKey.of(claim));
    assertThat(roll.leave(claim)).isTrue();

    roll.left(claim);

    assertThat(roll.leave(claim)).isFalse();
  }

  @Test
  void where_a_claim_sits_is_not_known_once_it_joins_again() {
    roll.join(claim, soon());
    roll.granted(claim, seat);
    assertThat(roll.seat(claim)).isEqualTo(seat);

    roll.join(claim, soon());

    assertThat(roll.seat(claim)).isNull();
  }

  @Test
  void a_renewal_does_not_call_back_what_is_leaving() {
    roll.call(claim, soon());
    roll.leave(claim);

    roll.call(claim, soon());
    assertThat(roll.isCondemned(claim)).isTrue();

    roll.join(claim, soon());
    assertThat(roll.isCondemned(claim)).isFalse();
  }

  @Test
  void a_stranger_is_whoever_nobody_has_spoken_for_in_time() {
    ByteString other = ByteString.copyFromUtf8("other");
    List<ByteString> both = List.of(seat.key(), other);
    roll.join(claim, soon());
    roll.granted(claim, seat);

    ticker.advance(TTL.plus(TIMEOUT));
    assertThat(roll.strangers(both, TTL.toSeconds())).containsExactly(other);

    ticker.advance(Duration.ofNanos(1));
    assertThat(roll.strangers(both, TTL.toSeconds())).isEqualTo(both);
  }

  @Test
  void an_operation_that_may_take_long_speaks_for_its_claim_all_the_time() {
    Duration longer = TIMEOUT.plusSeconds(7);
    roll.join(claim, Deadline.in(longer, ticker));
    roll.granted(claim, seat);

    ticker.advance(TTL.plus(longer));
    assertThat(roll.strangers(List.of(seat.key()), TTL.toSeconds())).isEmpty();

    ticker.advance(Duration.ofNanos(1));
    assertThat(roll.strangers(List.of(seat.key()), TTL.toSeconds())).containsExactly(seat.key());
  }

  /** As the engine usually gives it. */
  private Deadline soon() {
    return Deadline.in(TIMEOUT, ticker);
  }
}
