package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TokensTest {

  @Test
  void the_next_token_is_above_the_last_one_of_the_lock() {
    assertThat(Tokens.next(100, 5, 7)).isEqualTo(101);
  }

  @Test
  void the_next_token_is_at_least_the_clock_so_that_it_rises_when_the_store_forgets() {
    assertThat(Tokens.next(0, 1_700_000_000_000_000L, 0)).isEqualTo(1_700_000_000_000_000L);
  }

  @Test
  void the_next_token_is_above_the_floor_of_the_client() {
    assertThat(Tokens.next(3, 5, 1_000)).isEqualTo(1_001);
  }

  @Test
  void whatever_the_clock_does_tokens_of_one_lock_rise() {
    SplittableRandom random = new SplittableRandom(20_240_601);
    long last = 0;
    for (int i = 0; i < 10_000; i++) {
      long clock = random.nextLong(0, 1_000_000);
      long floor = random.nextLong(0, 1_000_000);
      long next = Tokens.next(last, clock, floor);
      assertThat(next).isGreaterThan(last).isGreaterThan(floor).isGreaterThanOrEqualTo(clock);
      last = next + random.nextInt(0, 5);
    }
  }

  @Test
  void a_run_knows_its_greatest_token() {
    assertThat(new Tokens(10, 1).last()).isEqualTo(10);
    assertThat(new Tokens(10, 5).last()).isEqualTo(14);
  }

  @Test
  void an_empty_run_ends_before_it_begins() {
    assertThat(new Tokens(10, 0).last()).isEqualTo(9);
    assertThat(Tokens.NONE.count()).isZero();
    assertThat(Tokens.NONE.last()).isLessThan(Tokens.NONE.first());
  }

  @Test
  void a_grant_has_no_spares_unless_it_says_so() {
    assertThat(new Granted(7)).isEqualTo(new Granted(7, Tokens.NONE));
  }
}
