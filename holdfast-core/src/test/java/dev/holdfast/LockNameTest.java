package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockNameTest {

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t", "\n", " \r\n\t ", "\u2003"})
  void a_blank_name_is_refused(String name) {
    assertRefused(name, "lock name is blank; give it at least one visible character");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "orders/47 11 ~", " a", "\ta", "a\u007f", "a\u00e9", "\u4e2d"})
  void any_visible_character_makes_a_name(String name) {
    assertThat(LockName.check(name)).isEqualTo(name);
  }

  @Test
  void a_name_of_513_characters_is_refused_with_both_numbers() {
    assertRefused("n".repeat(513), "lock name has 513 characters; at most 512 are allowed");
  }

  @Test
  void length_is_counted_in_code_points() {
    assertThat(LockName.check("😀".repeat(512))).hasSize(1024);
    assertRefused("😀".repeat(513), "lock name has 513 characters; at most 512 are allowed");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void a_nul_is_refused_wherever_it_stands(int index) {
    assertRefused(
        "x".repeat(index) + "\0" + "y", "lock name has a NUL character at index " + index);
  }

  static Stream<String> halves() {
    return Stream.of(
        "a\uD83D", // the first half at the end
        "a\uD83Db", // the first half before a letter
        "a\uDE00b", // the second half alone
        "a\uDE00\uD83D", // in the wrong order
        "a\uD83D\uD83D\uDE00"); // one half too many
  }

  @ParameterizedTest
  @MethodSource("halves")
  void half_of_a_surrogate_pair_is_refused(String name) {
    assertRefused(
        name, "lock name has half of a surrogate pair at index 1; it is not valid Unicode");
  }

  @Test
  void the_message_for_a_bad_name_does_not_repeat_it() {
    assertThatThrownBy(() -> LockName.check("secret\0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  static Stream<String> oddNames() {
    return Stream.of(
        "a",
        "n".repeat(512),
        "invoice/42",
        " leading and trailing ",
        "a ",
        "A",
        "..",
        "../../etc/passwd",
        "/",
        "'; DROP TABLE lock; --",
        "\"quoted\"",
        "`ticks`",
        "{tag}",
        "}{",
        "%s %n %00",
        "a\nb\tc",
        "\u0001",
        "\uFEFF",
        "é",
        "e\u0301",
        "ß",
        "İ",
        "锁",
        "مفتاح",
        "😀",
        "a\uD83D\uDE00",
        "\u00A0");
  }

  @ParameterizedTest
  @MethodSource("oddNames")
  void an_odd_name_is_taken_as_it_is(String name) {
    assertThat(LockName.check(name)).isSameAs(name);
  }

  private static void assertRefused(String name, String message) {
    assertThatThrownBy(() -> LockName.check(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
