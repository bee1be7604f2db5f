package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TokensTest {

  @Test
  void the_next_token_is_above_the_last_one_of_the_lock() {
    assertThat(Tokens.next("x", 100, 5, 7)).isEqualTo(101);
  }

  @Test
  void the_next_token_is_at_least_the_clock_so_that_it_rises_when_the_store_forgets() {
    assertThat(Tokens.next("x", 0, 1_700_000_000_000_000L, 0)).isEqualTo(1_700_000_000_000_000L);
  }

  @Test
  void the_next_token_is_above_the_floor_of_the_client() {
    assertThat(Tokens.next("x", 3, 5, 1_000)).isEqualTo(1_001);
  }

  @Test
  void whatever_the_clock_does_tokens_of_one_lock_rise() {
    SplittableRandom random = new SplittableRandom(20_240_601);
    long last = 0;
    for (int i = 0; i < 10_000; i++) {
      long clock = random.nextLong(0, 1_000_000);
      long floor = random.nextLong(0, 1_000_000);
      long next = Tokens.next("x", last, clock, floor);
      assertThat(next).isGreaterThan(last).isGreaterThan(floor).isGreaterThanOrEqualTo(clock);
      last = next + random.nextInt(0, 5);
    }
  }

  @Test
  void tokens_end_at_the_greatest_one_and_never_overflow() {
    assertThat(Tokens.next("x", Tokens.MAX - 1, 5, 0)).isEqualTo(Tokens.MAX);
    assertThat(Tokens.reserve("x", Tokens.MAX - 9, 0, 9).last()).isEqualTo(Tokens.MAX);
    for (long last : new long[] {Long.MIN_VALUE, -1, Tokens.MAX, Long.MAX_VALUE}) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Tokens.next("x", last, 5, 0))
          .withMessageContainingAll("record of 'x'", "" + last, "break --force");
    }
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Tokens.reserve("x", Tokens.MAX - 9, 0, 10));
  }

  @Test
  void a_token_is_between_one_and_the_greatest() {
    assertThat(Proof.checkToken(1)).isEqualTo(1);
    assertThat(Proof.checkToken(Tokens.MAX)).isEqualTo(Tokens.MAX);
    for (long token : new long[] {Long.MIN_VALUE, -1, 0, Tokens.MAX + 1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Proof.checkToken(token))
          .withMessageContaining("" + token);
      assertThatIllegalArgumentException().isThrownBy(() -> new Granted(token));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Granted(1, new Tokens(Tokens.MAX, 2)));
  }

  @Test
  void a_floor_is_noted_unless_the_clock_has_passed_it() {
    assertThat(Tokens.noted(100, 200, 300)).isEqualTo(300);
    assertThat(Tokens.noted(100, 300, 300)).isEqualTo(100);
    assertThat(Tokens.noted(400, 200, 300)).isEqualTo(400);
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

  @Test
  void tokens_of_revisions_rise_with_the_revision_and_leave_room_for_spares() {
    assertThat(Tokens.ofRevision(1)).isEqualTo(1024);
    assertThat(Tokens.ofRevision((1L << 51) - 1)).isPositive();
    for (long revision : new long[] {1, 2, 1_000, 1_794_786_091_000_001L}) {
      long token = Tokens.ofRevision(revision);
      Tokens all = Tokens.sparesOfRevision(token, 0, Integer.MAX_VALUE);

      assertThat(all.first()).isEqualTo(token + 1);
      assertThat(all.count()).isEqualTo(Tokens.SPARES_OF_REVISION);
      assertThat(all.last()).isLessThan(Tokens.ofRevision(revision + 1));
    }
  }

  @Test
  void a_revision_that_would_overflow_the_tokens_is_refused() {
    for (long revision : new long[] {Long.MIN_VALUE, -1, 0, 1L << 51, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Tokens.ofRevision(revision))
          .withMessageContaining("" + revision);
    }
  }

  @Test
  void spares_of_a_revision_go_on_after_those_given_until_there_are_none() {
    long token = Tokens.ofRevision(7);

    assertThat(Tokens.sparesOfRevision(token, 0, 5)).isEqualTo(new Tokens(token + 1, 5));
    assertThat(Tokens.sparesOfRevision(token, 5, 3)).isEqualTo(new Tokens(token + 6, 3));
    assertThat(Tokens.sparesOfRevision(token, 1020, 9)).isEqualTo(new Tokens(token + 1021, 3));
    assertThat(Tokens.sparesOfRevision(token, 1023, 9)).isEqualTo(Tokens.NONE);
    assertThat(Tokens.sparesOfRevision(token, 4, 0)).isEqualTo(Tokens.NONE);
  }
}
