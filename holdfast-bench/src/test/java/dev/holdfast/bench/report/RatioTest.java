package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatioTest {

  @Test
  void the_median_of_an_odd_number_is_the_one_in_the_middle() {
    assertThat(Ratio.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Ratio(2, 1, 3));
  }

  @Test
  void the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
    assertThat(Ratio.of(List.of(4.0, 1.0, 3.0, 2.0)).median()).isEqualTo(2.5);
  }

  @Test
  void it_is_shown_with_the_lowest_and_the_highest() {
    assertThat(new Ratio(2.345, 1, 1234.5)).hasToString("2.35 (1–1,235)");
  }
}
