package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "2m, PT2M",
    "1h, PT1H",
    "1d, PT24H",
    "1h30m, PT1H30M",
    "90m, PT90M",
    "0, PT0S",
    "0s, PT0S",
    "PT90S, PT90S",
    "pt1h, PT1H",
    "P1D, PT24H"
  })
  void a_duration_is_a_number_and_a_unit_or_iso(String text, String expected) {
    assertThat(Durations.parse("--ttl", text)).isEqualTo(Duration.parse(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "30, has no unit",
    "3x, unknown unit 'x'",
    "1.5s, unknown unit '.'",
    "s, is not a duration",
    "'', is not a duration",
    "' 3s', is not a duration",
    "-3s, is negative",
    "PT-3S, is negative",
    "PT3, is not a duration",
    "4000d, is too long",
    "9999999999999999999d, is too long",
    "30S, unknown unit 'S'"
  })
  void a_bad_one_is_refused_with_the_value_and_what_would_be_right(String text, String what) {
    assertThatThrownBy(() -> Durations.parse("--ttl", text))
        .isInstanceOfSatisfying(
            CliException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCodes.USAGE))
        .hasMessageStartingWith("--ttl '" + text + "'")
        .hasMessageContaining(what)
        .hasMessageMatching(".*(such as 500ms, 30s|at most 3650d).*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0s", "999ms"})
  void less_than_a_second_is_refused_where_it_makes_no_sense(String text) {
    assertThatThrownBy(() -> Durations.parseSeconds("--ttl", text))
        .hasMessage("--ttl '" + text + "' is too short; at least 1s");
  }

  @Test
  void messages_show_the_largest_unit_that_tells_enough() {
    assertThat(Durations.format(Duration.ofMillis(250))).isEqualTo("250 ms");
    assertThat(Durations.format(Duration.ofSeconds(31))).isEqualTo("31 s");
    assertThat(Durations.format(Duration.ofSeconds(119))).isEqualTo("119 s");
    assertThat(Durations.format(Duration.ofMinutes(5))).isEqualTo("5 min");
    assertThat(Durations.format(Duration.ofHours(3))).isEqualTo("3 h");
    assertThat(Durations.format(Duration.ofDays(4))).isEqualTo("4 d");
  }
}
