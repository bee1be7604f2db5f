package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.bench.workload.Workload;
import dev.holdfast.bench.workload.Workloads;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark runs; how fast anything is does not matter here. */
@NeedsServer({Server.REDIS, Server.POSTGRESQL})
class BenchIT {

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void a_quick_run_measures_every_workload_and_nobody_fails() throws Exception {
    assertThat(Bench.execute("--quick", "--out", folder.toString())).isZero();
    JsonObject report =
        JsonParser.parseString(Files.readString(folder.resolve("report.json"))).getAsJsonObject();
    assertThat(report.getAsJsonArray("failures")).isEmpty();
    Set<String> measured = new TreeSet<>();
    for (JsonElement slice : report.getAsJsonArray("slices")) {
      measured.add(slice.getAsJsonObject().get("workload").getAsString());
    }
    assertThat(measured)
        .containsExactlyInAnyOrderElementsOf(Workloads.all().stream().map(Workload::name).toList());
    assertThat(folder.resolve("report.md")).isNotEmptyFile();
  }
}
