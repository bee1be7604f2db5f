package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RollTest {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Roll roll = new Roll(ticker, TIMEOUT);
  private final Claim claim = Ask.mutex("lock", TTL);
  private final ByteString key = new Keys("holdfast/").claim(claim);

  @Test
  void a_claim_has_its_spare_tokens_whatever_was_granted_elsewhere() {
    roll.call(key, claim);
    long token = Tokens.ofRevision(5);
    long later = Tokens.ofRevision(9);

    assertThat(roll.granted(key, claim.asking(3, later), 5).spares())
        .isEqualTo(new Tokens(token + 1, 3));
    assertThat(roll.granted(key, claim.asking(2, later), 5).spares())
        .isEqualTo(new Tokens(token + 4, 2));
  }

  @Test
  void spare_tokens_that_the_client_has_seen_are_not_given_again() {
    roll.call(key, claim);
    long token = Tokens.ofRevision(5);

    assertThat(roll.granted(key, claim.asking(3, token + 7), 5).spares())
        .isEqualTo(new Tokens(token + 8, 3));
  }

  @Test
  void a_claim_that_nobody_speaks_for_any_more_is_forgotten() {
    roll.call(key, claim);
    roll.granted(key, claim, 5);
    Duration patience = TTL.plus(TIMEOUT).multipliedBy(2);

    ticker.advance(patience);
    roll.sweep();
    assertThat(roll.grantedAt(key)).isEqualTo(5);

    ticker.advance(Duration.ofNanos(1));
    roll.sweep();
    assertThat(roll.grantedAt(key)).isZero();
  }

  @Test
  void no_join_is_sent_again_once_its_claim_is_leaving() {
    roll.call(key, claim);
    assertThat(roll.doubt(key)).isTrue();

    assertThat(roll.leave(key)).isTrue();

    assertThat(roll.doubt(key)).isFalse();
    assertThat(roll.isCondemned(key)).isTrue();
  }

  @Test
  void the_doubt_about_a_join_lasts_until_its_claim_has_left() {
    roll.call(key, claim);
    roll.doubt(key);
    roll.leave(key);
    roll.strike(key);
    assertThat(roll.leave(key)).isTrue();

    roll.left(key);

    assertThat(roll.leave(key)).isFalse();
  }
}
