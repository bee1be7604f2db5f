package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.workload.Metric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {

  private final Results results = new Results();

  @Test
  void a_ratio_compares_slices_of_the_same_round() {
    add("Holdfast", 0, 100);
    add("floor", 0, 200);
    add("Holdfast", 1, 10);
    add("floor", 1, 10);
    assertThat(results.ratio("redis", "uncontended", Metric.RATE, "floor", "Holdfast"))
        .contains(new Ratio(1.5, 1, 2));
  }

  @Test
  void a_round_that_one_of_them_missed_is_no_pair() {
    add("Holdfast", 0, 100);
    add("Holdfast", 1, 100);
    add("floor", 1, 100);
    assertThat(results.ratio("redis", "uncontended", Metric.RATE, "floor", "Holdfast"))
        .contains(new Ratio(1, 1, 1));
  }

  @Test
  void there_is_no_ratio_to_a_contender_that_was_not_measured() {
    add("Holdfast", 0, 100);
    assertThat(results.ratio("redis", "uncontended", Metric.RATE, "floor", "Holdfast")).isEmpty();
    assertThat(results.median("redis", "uncontended", "floor", Metric.RATE)).isEmpty();
  }

  @Test
  void contenders_come_in_the_order_of_their_store() {
    add("ShedLock Redis", 0, 1);
    add("floor", 0, 1);
    add("Holdfast", 0, 1);
    add("somebody else", 0, 1);
    assertThat(results.contenders(new RedisStore(), "uncontended"))
        .containsExactly("Holdfast", "floor", "ShedLock Redis", "somebody else");
  }

  private void add(String contender, int round, double rate) {
    results.add(new Sample("redis", "uncontended", contender, round, Map.of(Metric.RATE, rate)));
  }
}
