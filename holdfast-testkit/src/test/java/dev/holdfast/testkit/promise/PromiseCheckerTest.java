package dev.holdfast.testkit.promise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.promise.History.Attempt;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each promise is broken once here, and kept where it might seem to be broken. */
class PromiseCheckerTest {

  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Terms TERMS = Terms.of(TTL, TIMEOUT, Duration.ZERO, true);

  private final History history = new History(() -> this.now);

  // Mutable state
  private long now;

  @Test
  void holds_one_after_the_other_with_rising_tokens_break_nothing() {
    for (int i = 1; i < 5; i++) {
      Attempt one = asks("a/" + i);
      one.granted(i);
      pass(1);
      give(one);
    }
    Attempt loser = asks("a/5", Request.mutex().waiting(Duration.ZERO));
    Attempt other = asks("b/1");
    loser.is(What.BUSY);
    other.granted(9);
    history.fence(What.ENTERED, "b/1", Construct.MUTEX, "x", 9);
    history.fence(What.STALE, "a/4", Construct.MUTEX, "x", 4);

    kept();
  }

  @Test
  void two_valid_leases_of_a_mutex() {
    asks("a/1").granted(1);
    asks("b/1").granted(2);

    broken(Promise.EXCLUSION);
  }

  @Test
  void a_lease_is_valid_until_its_last_word() {
    Attempt one = asks("a/1");
    one.granted(1, now + seconds(20));
    pass(15);
    one.valid(now + seconds(20));
    pass(19);
    asks("b/1").granted(2);

    broken(Promise.EXCLUSION);
  }

  @Test
  void a_lease_that_is_valid_later_was_valid_before() {
    Attempt one = asks("a/1");
    one.granted(1, now + seconds(5));
    pass(10);
    asks("b/1").granted(2);
    pass(1);
    one.valid(now + seconds(5));

    broken(Promise.LOSS_FIRST, Promise.EXCLUSION);
  }

  @Test
  void a_lease_that_is_over_excludes_nobody() {
    Attempt one = asks("a/1");
    one.granted(1);
    pass(30);
    one.is(What.OVER);
    one.is(What.LOST);
    asks("b/1").granted(2);

    kept();
  }

  @Test
  void a_reader_beside_a_writer() {
    Request read = Request.of(1, 1000);
    history.asks("a/1", Construct.READ, "x", read).granted(1);
    history.asks("a/2", Construct.READ, "x", read).granted(2);
    kept();

    history.asks("b/1", Construct.WRITE, "x", Request.of(1000, 1000)).granted(3);

    broken(Promise.WRITERS_ARE_ALONE);
  }

  @Test
  void more_permits_than_there_are() {
    history.asks("a/1", Construct.PERMIT, "x", Request.of(2, 3)).granted(2);
    history.asks("b/1", Construct.PERMIT, "x", Request.of(1, 3)).granted(1);
    kept();

    history.asks("b/2", Construct.PERMIT, "x", Request.of(1, 3)).granted(3);

    broken(Promise.PERMITS);
  }

  @Test
  void two_leaders() {
    history.asks("a/1", Construct.LEADER, "x", Request.mutex()).granted(1);
    history.asks("b/1", Construct.LEADER, "x", Request.mutex()).granted(2);

    broken(Promise.ONE_LEADER);
  }

  @Test
  void a_broken_lock_excuses_its_holder_until_it_must_have_noticed() {
    Attempt one = asks("a/1");
    one.granted(1);
    history.breaks("operator", "x");
    Attempt two = asks("b/1");
    two.granted(2);
    kept();

    give(two);
    pass(60);
    asks("c/1").granted(3);

    broken(Promise.BREAK_IS_NOTICED, Promise.EXCLUSION);
  }

  @Test
  void a_later_grant_of_the_same_client_ends_the_broken_one() {
    Attempt one = asks("a/1");
    one.granted(1, now + seconds(20));
    pass(1);
    history.breaks("operator", "x");
    pass(1);
    asks("a/2").granted(2, now + seconds(20));
    kept();

    pass(1);
    one.valid(now + seconds(20));

    broken(Promise.EXCLUSION);
  }

  @Test
  void a_break_excuses_nobody_who_asks_later() {
    history.breaks("operator", "x");
    asks("a/1").granted(1);
    asks("b/1").granted(2);

    broken(Promise.EXCLUSION);
  }

  @Test
  void tokens_that_fall() {
    Attempt one = asks("a/1");
    one.granted(7);
    give(one);
    asks("b/1").granted(6);

    broken(Promise.TOKENS_RISE);
  }

  @Test
  void tokens_that_fall_within_a_client() {
    Attempt one = asks("a/1");
    one.granted(7);
    give(one);
    asks("a/2").granted(6);

    broken(Promise.HAND_OFF_RISES);
  }

  @Test
  void a_token_twice() {
    history.asks("a/1", Construct.PERMIT, "x", Request.of(1, 2)).granted(7);
    history.asks("b/1", Construct.PERMIT, "x", Request.of(1, 2)).granted(7);

    broken(Promise.TOKENS_DIFFER);
  }

  @Test
  void another_token_on_reentry() {
    Attempt one = asks("a/1");
    one.granted(7);
    one.reentered(7);
    kept();

    one.reentered(8);

    broken(Promise.SAME_TOKEN);
  }

  @Test
  void a_write_behind_the_fence() {
    history.fence(What.ENTERED, "a/1", Construct.MUTEX, "x", 1);
    history.fence(What.WROTE, "a/1", Construct.MUTEX, "x", 1);
    history.fence(What.ENTERED, "b/1", Construct.MUTEX, "x", 2);
    history.fence(What.ENTERED, "c/1", Construct.READ, "x", 5);
    history.fence(What.WROTE, "b/1", Construct.MUTEX, "x", 2);
    kept();

    history.fence(What.WROTE, "a/1", Construct.MUTEX, "x", 1);

    broken(Promise.NO_STALE_WRITE);
  }

  @Test
  void a_fence_that_refuses_the_newest() {
    history.fence(What.ENTERED, "a/1", Construct.MUTEX, "x", 1);
    history.fence(What.STALE, "b/1", Construct.MUTEX, "x", 2);

    broken(Promise.FENCE_TAKES_THE_NEWEST);
  }

  @Test
  void a_holder_that_is_notified_after_the_next_one() {
    Attempt one = asks("a/1");
    one.granted(1);
    pass(30);
    one.is(What.OVER);
    asks("b/1").granted(2);

    broken(Promise.LOSS_FIRST);
  }

  @Test
  void a_holder_that_stands_still_cannot_be_notified() {
    Attempt one = asks("a/1");
    one.granted(1, now + seconds(22));
    history.befell(What.PAUSED, "a", "");
    pass(30);
    asks("b/1").granted(2);
    history.befell(What.RESUMED, "a", "");
    one.is(What.OVER);
    one.is(What.LOST);

    kept();
  }

  @Test
  void a_loss_that_is_reported_late() {
    Attempt one = asks("a/1");
    one.granted(1);
    pass(30);
    one.is(What.OVER);
    pass(20);
    one.is(What.LOST);

    broken(Promise.LOSS_IN_TIME);
  }

  @Test
  void a_lease_that_comes_back() {
    Attempt one = asks("a/1");
    one.granted(1);
    one.is(What.LOST);
    one.valid(now + seconds(5));

    broken(Promise.LOSS_IS_FINAL);
  }

  @Test
  void a_release_that_keeps_a_loss_quiet() {
    Attempt one = asks("a/1");
    one.granted(1);
    one.is(What.OVER);
    give(one);

    broken(Promise.NO_QUIET_LOSS);
  }

  @Test
  void a_lock_that_nobody_takes() {
    Attempt one = asks("a/1");
    one.granted(1);
    Attempt two = asks("b/1");
    history.befell(What.CRASHED, "a", "");
    pass(40);
    kept();

    pass(60);
    two.granted(2);

    broken(Promise.TAKEOVER);
  }

  @Test
  void a_wait_that_ends_with_the_history() {
    asks("b/1");
    pass(100);
    asks("c/1");

    broken(Promise.TAKEOVER);
  }

  @Test
  void a_silent_store_makes_callers_wait() {
    history.befell(What.TROUBLE, "*", "");
    asks("a/1", Request.mutex().waiting(Duration.ofSeconds(1))).is(What.UNKNOWN);
    Attempt two = asks("b/1");
    pass(100);
    history.befell(What.CALM, "*", "");
    two.granted(2);

    kept();
  }

  @Test
  void an_idle_lock_that_its_client_does_not_give_back() {
    Attempt one = asks("a/1");
    one.granted(1);
    give(one);
    Attempt two = asks("b/1");
    pass(5);
    two.granted(2);
    kept();

    broken(TERMS.handOver(Duration.ofSeconds(1)), Promise.KEPT_IS_GIVEN_BACK);
  }

  @Test
  void a_wait_behind_an_idle_lock_that_ends_with_the_history() {
    Attempt one = asks("a/1");
    one.granted(1);
    give(one);
    asks("b/1");
    pass(5);
    asks("c/1");

    broken(TERMS.handOver(Duration.ofSeconds(1)), Promise.KEPT_IS_GIVEN_BACK);
  }

  @Test
  void an_idle_lock_whose_client_does_not_hear_that_it_is_wanted() {
    for (What silence : List.of(What.PAUSED, What.TROUBLE, What.CRASHED)) {
      Attempt one = asks("a/1");
      one.granted(now + 1);
      give(one);
      history.befell(silence, "a", "");
      Attempt two = asks("b/1");
      Attempt three = asks("c/1", Request.mutex().waiting(Duration.ZERO));
      pass(2);
      three.is(What.BUSY);
      pass(18);
      two.granted(now + 2);
      give(two);
      history.befell(What.RESUMED, "a", "");
      history.befell(What.CALM, "a", "");
      pass(200);
    }

    kept(TERMS.handOver(Duration.ofSeconds(1)));
  }

  @Test
  void busy_by_an_idle_lock_whose_client_hears_that_it_is_wanted() {
    Attempt one = asks("a/1");
    one.granted(1);
    give(one);
    pass(1);
    asks("b/1", Request.mutex().waiting(Duration.ZERO)).is(What.BUSY);

    broken(Promise.BUSY_IS_TRUE);
  }

  @Test
  void a_lease_that_takes_no_request_and_is_over() {
    Attempt one = asks("a/1");
    pass(1);
    one.granted(1, now); // its answer was late
    give(one);
    kept();

    asks("a/2").granted(2, now);

    broken(Promise.KEPT_IS_VALID);
  }

  @Test
  void a_later_request_that_comes_first() {
    Attempt one = asks("a/1");
    one.granted(1);
    asks("b/1");
    pass(10);
    Attempt three = asks("c/1");
    give(one);
    three.granted(3);

    broken(Promise.FIRST_COME);
  }

  @Test
  void threads_of_one_client_queue_within_it() {
    Attempt one = asks("a/1");
    one.granted(1);
    asks("a/2");
    pass(10);
    Attempt three = asks("c/1");
    give(one);
    three.granted(3);

    kept();
  }

  @Test
  void a_limit_that_is_not_kept() {
    asks("b/1").granted(1);
    Attempt two = asks("a/1", Request.mutex().waiting(Duration.ofSeconds(10)));
    pass(16);
    two.is(What.BUSY);

    broken(Promise.LIMITS);
  }

  @Test
  void busy_though_nobody_is_there() {
    asks("a/1", Request.mutex().waiting(Duration.ZERO)).is(What.BUSY);

    broken(Promise.BUSY_IS_TRUE);
  }

  @Test
  void busy_by_what_is_left_of_a_client_that_crashed() {
    asks("b/1").granted(1);
    history.befell(What.CRASHED, "b", "");
    pass(10);
    asks("a/1", Request.mutex().waiting(Duration.ZERO)).is(What.BUSY);

    kept();
  }

  @Test
  void unknown_though_the_store_answers() {
    pass(60);
    asks("a/1").is(What.UNKNOWN);

    broken(Promise.UNKNOWN_IS_TRUE);
  }

  @Test
  void a_lock_that_does_not_stay_taken() {
    Attempt one = asks("a/1", Request.mutex().keeping(Duration.ofSeconds(10)));
    one.granted(1);
    give(one);
    pass(5);
    asks("b/1").granted(2);

    broken(Promise.MIN_HOLD);
  }

  @Test
  void a_lease_that_outlasts_its_max_hold() {
    Attempt one = asks("a/1", Request.mutex().holding(Duration.ofSeconds(10)));
    one.granted(1);
    pass(9);
    one.valid(now + seconds(9));
    kept();

    pass(2);
    one.valid(now + seconds(9));

    broken(Promise.MAX_HOLD);
  }

  @Test
  void a_claim_that_is_left() {
    history.found("store", "x", "a waiter");

    broken(Promise.NOTHING_IS_LEFT);
  }

  @Test
  void slow_clocks_are_given_their_time() {
    asks("b/1").granted(1);
    Attempt two = asks("a/1", Request.mutex().waiting(Duration.ofSeconds(10)));
    pass(16);
    two.is(What.BUSY);

    assertThat(PromiseChecker.violations(history.observations(), TERMS.rates(0.8, 1.2))).isEmpty();
  }

  private Attempt asks(String who) {
    return asks(who, Request.mutex());
  }

  private Attempt asks(String who, Request request) {
    return history.asks(who, Construct.MUTEX, "x", request);
  }

  private static void give(Attempt attempt) {
    attempt.is(What.RELEASING);
    attempt.is(What.RELEASED);
  }

  private void pass(int seconds) {
    now += seconds(seconds);
  }

  private static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  private void kept() {
    kept(TERMS);
  }

  private void kept(Terms terms) {
    assertThat(PromiseChecker.violations(history.observations(), terms)).isEmpty();
  }

  /** Exactly these, in this order. */
  private void broken(Promise... promises) {
    broken(TERMS, promises);
  }

  private void broken(Terms terms, Promise... promises) {
    List<Violation> found = PromiseChecker.violations(history.observations(), terms);
    assertThat(found.stream().map(Violation::promise)).containsExactly(promises);
    assertThat(found.get(0).toString()).contains(promises[0].sentence());
  }
}
