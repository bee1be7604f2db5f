package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.report.Results.Failure;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    Results results = new Results();
    for (int round = 0; round < 3; round++) {
      results.add(slice("Holdfast, no hand-off", round, 1000));
      results.add(slice("floor", round, 1100));
    }
    results.add(new Failure("redis", "uncontended", "Redisson RLock", "a | b"));
    new Report(
            List.of(new RedisStore()),
            List.of(Workloads.get("uncontended")),
            results,
            new Setting(Scale.quick(), true))
        .write(folder);
  }

  @Test
  void people_read_bars_features_figures_and_failures() throws IOException {
    assertThat(Files.readString(folder.resolve("report.md")))
        .contains("| redis | uncontended | ≤ 1.15 × the floor's time | 1.10 (1.10–1.10) |")
        .contains("Bars that are missed: 0", "Bars that are met: 1", "A *turn* is", "- commit: ")
        .contains("| floor | yes | yes | – |")
        .contains("| Holdfast, no hand-off | 1,000 | 1 | 0.91 (0.91–0.91) |")
        .contains("| redis | uncontended | Redisson RLock | a \\| b |");
  }

  @Test
  void programs_read_every_slice() throws IOException {
    JsonObject report =
        JsonParser.parseString(Files.readString(folder.resolve("report.json"))).getAsJsonObject();
    assertThat(report.getAsJsonArray("slices")).hasSize(6);
    assertThat(report.getAsJsonArray("bars").get(0).getAsJsonObject().get("met").getAsBoolean())
        .isTrue();
  }

  @Test
  void the_chart_is_well_formed_and_shows_all() throws Exception {
    Path chart = folder.resolve("redis-uncontended.svg");
    assertThat(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile()))
        .isNotNull();
    assertThat(Files.readString(chart))
        .contains(
            ">Holdfast, no hand-off<",
            ">1,000<",
            ">floor<",
            ">1,100 (1.10 × Holdfast, no hand-off)<");
  }

  private static Sample slice(String contender, int round, double rate) {
    return new Sample("redis", "uncontended", contender, round, Map.of(Metric.RATE, rate));
  }
}
