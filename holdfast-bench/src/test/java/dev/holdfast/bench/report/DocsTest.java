package dev.holdfast.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.report.Results.Sample;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Scale;
import dev.holdfast.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsTest {

  private static final String UNCONTENDED =
      """
      | server | no hand-off | floor | best peer | time, × the floor's | × the best peer's |
      | --- | --- | --- | --- | --- | --- |
      | Redis | 1,000 | 1,200 | Redisson RLock: 500 | 1.20 (1.20–1.20) | 2 (2–2) |
      """;

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    Results results = new Results();
    for (int round = 0; round < 3; round++) {
      results.add(slice("uncontended", "Holdfast, no hand-off", round, 1000));
      results.add(slice("uncontended", "floor", round, 1200));
      results.add(slice("uncontended", "Redisson RLock", round, 500));
      results.add(slice("one-lock", "Holdfast", round, 90_000));
      results.add(slice("one-lock", "Redisson RLock", round, 1000));
    }
    new Report(
            List.of(new RedisStore()),
            List.of(Workloads.get("uncontended"), Workloads.get("one-lock")),
            results,
            new Setting(Scale.quick(), true))
        .write(folder);
    Files.createDirectory(folder.resolve("charts"));
    page(
        """
        # Performance

        ## What is missed

        <!-- missed -->
        <!-- /missed -->

        ## One thread, each acquisition asks the server

        <!-- uncontended -->
        an earlier run
        <!-- /uncontended -->

        ### 16 threads on one lock, in one JVM

        <!-- one-lock -->
        <!-- /one-lock -->
        """);
    Files.writeString(
        folder.resolve("figures.tsv"),
        "table\trow\tcolumn\tvalue\nOld\ta\tb\t1\nChoosing\tConsul\tone thread\t234\n");
    Files.writeString(
        folder.resolve("CHOOSING.md"),
        """
        | | `memory:` | Redis, Valkey, Tair | Consul |
        | --- | --- | --- | --- |
        | taken and given back, one thread | 7/s | 7/s | 234/s |
        | the same by 16 threads of one client | 7/s | 7/s, and more | 7/s |
        """);
  }

  @Test
  void a_part_between_marks_is_what_the_report_says() throws IOException {
    Docs.fill(folder.resolve("report.json"), folder);
    assertThat(folder.resolve("PERFORMANCE.md"))
        .content(UTF_8)
        .contains("<!-- uncontended -->\n" + UNCONTENDED + "<!-- /uncontended -->\n")
        .contains(
            """
            | Redis | `uncontended` | ≤ 1.15 × the floor's time | 1.20 (1.20–1.20) |\
             A free lock takes longer than its two requests need. |
            """)
        .contains("![Redis](charts/redis-one-lock.svg)")
        .doesNotContain("an earlier run");
    assertThat(folder.resolve("charts/redis-one-lock.svg")).isNotEmptyFile();
  }

  @Test
  void the_file_has_the_figures_of_the_page_the_run_and_what_only_choosing_has()
      throws IOException {
    Docs.fill(folder.resolve("report.json"), folder);
    String table = "One thread, each acquisition asks the server\tRedis\t";
    assertThat(folder.resolve("figures.tsv"))
        .content(UTF_8)
        .contains("The run\tgeneration\t\t" + Generation.NUMBER + "\n", "The run\tcommit\t\t")
        .contains(table + "time, × the floor's\t1.20 (1.20–1.20)\n", table + "floor\t1,200\n")
        .contains("Choosing\tConsul\tone thread\t234\n")
        .doesNotContain("Old");
  }

  @Test
  void choosing_has_the_rates_of_the_run_and_keeps_those_that_were_not_measured()
      throws IOException {
    Docs.fill(folder.resolve("report.json"), folder);
    assertThat(folder.resolve("CHOOSING.md"))
        .content(UTF_8)
        .contains("| taken and given back, one thread | 7/s | 1,000/s | 234/s |")
        .contains("| the same by 16 threads of one client | 7/s | 90,000/s, and more | 7/s |");
  }

  @Test
  void filling_a_page_again_changes_nothing() throws IOException {
    Docs.fill(folder.resolve("report.json"), folder);
    String once = Files.readString(folder.resolve("PERFORMANCE.md"));
    Docs.fill(folder.resolve("report.json"), folder);
    assertThat(folder.resolve("PERFORMANCE.md")).content(UTF_8).isEqualTo(once);
  }

  @Test
  void a_part_that_no_report_has_is_an_error() throws IOException {
    page("<!-- nonsense -->\n<!-- /nonsense -->\n");
    assertThatThrownBy(() -> Docs.fill(folder.resolve("report.json"), folder))
        .hasMessageContaining("nonsense");
  }

  private void page(String text) throws IOException {
    Files.writeString(folder.resolve("PERFORMANCE.md"), text);
  }

  private static Sample slice(String workload, String contender, int round, double rate) {
    return new Sample("redis", workload, contender, round, Map.of(Metric.RATE, rate));
  }
}
