package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.catalogue.Catalogue;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Workload;
import dev.holdfast.bench.workload.Workloads;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BeforeTest {

  @Test
  void each_earlier_figure_belongs_to_a_bar() {
    Set<String> bars = new TreeSet<>();
    for (Store store : Catalogue.stores()) {
      for (Verdict verdict : Bars.judge(store, everything(store))) {
        bars.add(String.join("\t", verdict.store(), verdict.workload(), verdict.bar()));
      }
    }
    assertThat(bars).containsAll(Before.figures().keySet());
  }

  /** One slice of each contender in each workload. */
  private static Results everything(Store store) {
    Map<Metric, Double> figures =
        Stream.of(
                Metric.RATE,
                Metric.PROCESSOR_EACH,
                Metric.BYTES_EACH,
                Metric.SLEEPS_EACH,
                Metric.PER_REQUEST,
                Metric.CLIENT_SPREAD,
                Metric.HAND_OFF,
                Metric.RENEWING,
                Metric.HEAP,
                Metric.perTurn(1),
                Metric.perTurn(10))
            .collect(Collectors.toMap(Function.identity(), metric -> 1.0));
    Results results = new Results();
    for (Workload workload : Workloads.all()) {
      for (Contender contender : store.contenders()) {
        results.add(new Sample(store.name(), workload.name(), contender.label(), 0, figures));
      }
    }
    return results;
  }
}
