package dev.holdfast;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LockOptionsTest {

  private static final LockOptions DEFAULTS = LockOptions.defaults();

  @Nested
  class Defaults {

    @Test
    void the_ttl_is_half_a_minute_renewed_each_third_and_valid_for_three_quarters() {
      assertThat(DEFAULTS.ttl()).isEqualTo(ofSeconds(30));
      assertThat(DEFAULTS.renewEvery()).isEqualTo(ofSeconds(10));
      assertThat(DEFAULTS.validFor()).isEqualTo(ofMillis(22_500));
    }

    @Test
    void renewal_and_validity_follow_the_ttl_unless_they_are_set() {
      LockOptions options = DEFAULTS.ttl(ofSeconds(12));
      assertThat(options.renewEvery()).isEqualTo(ofSeconds(4));
      assertThat(options.validFor()).isEqualTo(ofSeconds(9));
      LockOptions set = DEFAULTS.renewEvery(ofSeconds(1)).validFor(ofSeconds(5));
      assertThat(set.ttl(ofSeconds(12)).renewEvery()).isEqualTo(ofSeconds(1));
      assertThat(set.ttl(ofSeconds(12)).validFor()).isEqualTo(ofSeconds(5));
    }

    @Test
    void everything_else_is_the_plain_case() {
      assertThat(DEFAULTS.maxHold()).isNull();
      assertThat(DEFAULTS.minHold()).isZero();
      assertThat(DEFAULTS.label()).isEmpty();
      assertThat(DEFAULTS.reentrant()).isTrue();
      assertThat(DEFAULTS.handOff()).isTrue();
      assertThat(DEFAULTS.required()).isEqualTo(Consistency.BEST_EFFORT);
    }

    @Test
    void they_are_safe_for_every_ttl() {
      for (long nanos : new long[] {12, 1_000, 999_999_937, 86_400_000_000_000L}) {
        assertThatCode(DEFAULTS.ttl(Duration.ofNanos(nanos))::check).doesNotThrowAnyException();
      }
    }
  }

  /** One change for each option. */
  private static final List<UnaryOperator<LockOptions>> CHANGES =
      List.of(
          o -> o.ttl(ofSeconds(60)),
          o -> o.renewEvery(ofSeconds(3)),
          o -> o.validFor(ofSeconds(20)),
          o -> o.maxHold(ofSeconds(100)),
          o -> o.minHold(ofSeconds(2)),
          o -> o.label("nightly"),
          o -> o.reentrant(false),
          o -> o.handOff(false),
          o -> o.require(Consistency.LINEARIZABLE));

  @Nested
  class AsValues {

    @Test
    void a_change_makes_new_options_and_leaves_the_old_ones_alone() {
      String before = DEFAULTS.toString();
      for (UnaryOperator<LockOptions> change : CHANGES) {
        assertThat(change.apply(DEFAULTS)).isNotSameAs(DEFAULTS).isNotEqualTo(DEFAULTS);
      }
      assertThat(DEFAULTS).hasToString(before);
    }

    @Test
    void a_change_keeps_all_other_options() {
      for (int i = 0; i < CHANGES.size(); i++) {
        for (int j = 0; j < CHANGES.size(); j++) {
          LockOptions oneWay = CHANGES.get(i).apply(CHANGES.get(j).apply(DEFAULTS));
          LockOptions otherWay = CHANGES.get(j).apply(CHANGES.get(i).apply(DEFAULTS));
          assertThat(oneWay).as("changes %d and %d", i, j).isEqualTo(otherWay);
          assertThat(oneWay.equals(CHANGES.get(j).apply(DEFAULTS)))
              .as("changes %d and %d", i, j)
              .isEqualTo(i == j);
        }
      }
    }

    @Test
    void equal_options_have_equal_hash_codes_and_texts() {
      for (UnaryOperator<LockOptions> change : CHANGES) {
        assertThat(change.apply(DEFAULTS))
            .isEqualTo(change.apply(DEFAULTS))
            .hasSameHashCodeAs(change.apply(DEFAULTS))
            .hasToString(change.apply(DEFAULTS).toString());
      }
      assertThat(DEFAULTS).isNotEqualTo(null).isNotEqualTo("options");
    }

    @Test
    void their_text_tells_the_times_in_effect() {
      assertThat(DEFAULTS.label("nightly").toString())
          .contains("ttl=PT30S", "renewEvery=PT10S", "validFor=PT22.5S", "maxHold=none", "nightly");
    }
  }

  @Nested
  class Refused {

    @Test
    void validity_that_is_not_shorter_than_the_ttl() {
      assertRefused(
          DEFAULTS.validFor(ofSeconds(30)), "validFor (PT30S) must be shorter than ttl (PT30S)");
      assertRefused(
          DEFAULTS.validFor(ofSeconds(31)), "validFor (PT31S) must be shorter than ttl (PT30S)");
    }

    @Test
    void renewal_that_leaves_no_room_for_a_second_try() {
      assertRefused(
          DEFAULTS.renewEvery(ofSeconds(12)),
          "renewEvery (PT12S) must be at most half of validFor (PT22.5S)");
      assertTaken(DEFAULTS.renewEvery(ofMillis(11_250)));
    }

    @Test
    void a_maximal_hold_shorter_than_the_ttl() {
      assertRefused(
          DEFAULTS.maxHold(ofSeconds(29)), "maxHold (PT29S) must not be shorter than ttl (PT30S)");
      assertTaken(DEFAULTS.maxHold(ofSeconds(30)));
    }

    @Test
    void a_minimal_hold_longer_than_the_maximal_one() {
      assertRefused(
          DEFAULTS.maxHold(ofSeconds(40)).minHold(ofSeconds(41)),
          "minHold (PT41S) must not be longer than maxHold (PT40S)");
      assertTaken(DEFAULTS.maxHold(ofSeconds(40)).minHold(ofSeconds(40)));
    }

    @Test
    void times_that_are_zero_or_negative_at_once() {
      assertRefusedAtOnce(o -> o.ttl(Duration.ZERO), "ttl (PT0S) must be longer than zero");
      assertRefusedAtOnce(
          o -> o.ttl(ofSeconds(-1)), "ttl (PT-1S) must not be negative or longer than 3650 days");
      assertRefusedAtOnce(
          o -> o.renewEvery(Duration.ZERO), "renewEvery (PT0S) must be longer than zero");
      assertRefusedAtOnce(
          o -> o.validFor(Duration.ZERO), "validFor (PT0S) must be longer than zero");
      assertRefusedAtOnce(o -> o.maxHold(Duration.ZERO), "maxHold (PT0S) must be longer than zero");
      assertRefusedAtOnce(
          o -> o.minHold(ofSeconds(-1)),
          "minHold (PT-1S) must not be negative or longer than 3650 days");
    }

    @Test
    void times_longer_than_ten_years_because_nanoseconds_are_counted() {
      Duration tooLong = Duration.ofDays(3650).plusNanos(1);
      List.<UnaryOperator<LockOptions>>of(
              o -> o.ttl(tooLong),
              o -> o.renewEvery(tooLong),
              o -> o.validFor(tooLong),
              o -> o.maxHold(tooLong),
              o -> o.minHold(tooLong))
          .forEach(
              change ->
                  assertThatThrownBy(() -> change.apply(DEFAULTS))
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageEndingWith(
                          "(PT87600H0.000000001S) must not be negative or longer than 3650 days"));
      assertTaken(DEFAULTS.ttl(Duration.ofDays(3650)));
    }

    @Test
    void a_label_of_more_than_128_characters() {
      assertThat(DEFAULTS.label("x".repeat(128)).label()).hasSize(128);
      assertRefusedAtOnce(
          o -> o.label("x".repeat(129)),
          "label has 129 characters, at most 128 are allowed: '" + "x".repeat(31) + "…'");
      assertThat(DEFAULTS.label("😀".repeat(128)).label()).hasSize(256);
    }

    @Test
    void a_label_with_characters_that_do_not_show() {
      assertRefusedAtOnce(
          o -> o.label("red\u001b[31m"),
          "label 'red\\u001b[31m' has a character that does not show at index 3;"
              + " use letters, digits, punctuation and spaces");
      assertRefusedAtOnce(
          o -> o.label("a\nb"),
          "label 'a\\u000ab' has a character that does not show at index 1;"
              + " use letters, digits, punctuation and spaces");
      assertThat(DEFAULTS.label("naïve – 锁 😀").label()).isEqualTo("naïve – 锁 😀");
    }

    @Test
    void the_order_in_which_options_are_set_does_not_matter() {
      assertTaken(DEFAULTS.validFor(ofSeconds(50)).ttl(ofSeconds(60)));
      assertTaken(DEFAULTS.minHold(ofSeconds(50)).maxHold(ofSeconds(60)));
    }

    @Test
    void options_that_contradict_each_other_never_become_a_lock() {
      try (Holdfast locks = Holdfast.connect("memory:options")) {
        assertThatThrownBy(() -> locks.lock("x", DEFAULTS.validFor(ofSeconds(30))))
            .hasMessage("validFor (PT30S) must be shorter than ttl (PT30S)");
      }
      assertThatThrownBy(
              () ->
                  Holdfast.builder()
                      .store("memory:options")
                      .defaults(DEFAULTS.validFor(ofSeconds(30)))
                      .build())
          .hasMessage("validFor (PT30S) must be shorter than ttl (PT30S)");
    }
  }

  private static void assertTaken(LockOptions options) {
    assertThatCode(options::check).doesNotThrowAnyException();
  }

  private static void assertRefused(LockOptions options, String message) {
    assertThatThrownBy(options::check)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private static void assertRefusedAtOnce(UnaryOperator<LockOptions> change, String message) {
    assertThatThrownBy(() -> change.apply(DEFAULTS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
