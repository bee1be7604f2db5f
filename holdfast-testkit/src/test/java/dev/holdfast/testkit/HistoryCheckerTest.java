package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testkit.History.Attempt;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

  private final History history = new History("seed 42", new ManualTicker());

  @Test
  void holds_one_after_the_other_with_rising_tokens_are_right() {
    for (int i = 1; i < 5; i++) {
      Attempt attempt = history.attempt("client-" + i, "lock");
      attempt.granted(i);
      attempt.released();
    }
    history.attempt("loser", "lock").gaveUp();
    history.attempt("unlucky", "lock").unknown();

    history.check();
    assertThat(history.grants()).isEqualTo(4);
  }

  @Test
  void two_holders_of_a_mutex_are_wrong_and_the_seed_is_printed() {
    history.attempt("one", "lock").granted(1);
    history.attempt("two", "lock").granted(2);

    assertThatThrownBy(history::check)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed 42")
        .hasMessageContaining("exclusion is broken")
        .hasMessageContaining("one")
        .hasMessageContaining("two");
  }

  @Test
  void holders_of_different_locks_do_not_meet() {
    history.attempt("one", "lock").granted(1);
    history.attempt("two", "other").granted(1);

    history.check();
  }

  @Test
  void a_lost_hold_ends_where_it_was_called_lost() {
    Attempt one = history.attempt("one", "lock");
    Attempt two = history.attempt("two", "lock");
    one.granted(1);
    one.lost();
    two.granted(2);
    one.released();

    history.check();
  }

  @Test
  void weights_add_up_to_the_capacity_and_no_further() {
    history.attempt("one", "lock", 2, 3).granted(1);
    history.attempt("two", "lock", 1, 3).granted(2);
    history.check();

    history.attempt("three", "lock", 1, 3).granted(3);

    assertThatThrownBy(history::check).hasMessageContaining("exclusion is broken");
  }

  @Test
  void two_writers_do_not_overflow_the_sum() {
    history.attempt("one", "lock", Integer.MAX_VALUE, Integer.MAX_VALUE).granted(1);
    history.attempt("two", "lock", Integer.MAX_VALUE, Integer.MAX_VALUE).granted(2);

    assertThatThrownBy(history::check).hasMessageContaining("exclusion is broken");
  }

  @Test
  void a_token_given_twice_is_wrong() {
    history.attempt("one", "lock", 1, 2).granted(7);
    history.attempt("two", "lock", 1, 2).granted(7);

    assertThatThrownBy(history::check).hasMessageContaining("was given before");
  }

  @Test
  void a_token_that_falls_is_wrong() {
    Attempt one = history.attempt("one", "lock");
    Attempt two = history.attempt("two", "lock");
    one.granted(7);
    one.released();
    two.granted(6);

    assertThatThrownBy(history::check).hasMessageContaining("not greater than that of an earlier");
  }

  @Test
  void sharers_may_be_reported_in_any_order() {
    Attempt slow = history.attempt("slow", "lock", 1, 2);
    Attempt fast = history.attempt("fast", "lock", 1, 2);
    fast.granted(2);
    fast.released();
    slow.granted(1);

    history.check();
  }

  @Test
  void a_sharer_that_came_after_another_had_left_has_the_greater_token() {
    Attempt first = history.attempt("first", "lock", 1, 2);
    first.granted(2);
    first.released();
    history.attempt("second", "lock", 1, 2).granted(1);

    assertThatThrownBy(history::check).hasMessageContaining("had ended");
  }
}
