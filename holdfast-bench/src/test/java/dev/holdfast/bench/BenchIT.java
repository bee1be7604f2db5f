package dev.holdfast.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.bench.catalogue.Catalogue;
import dev.holdfast.bench.workload.Workload;
import dev.holdfast.bench.workload.Workloads;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark runs; how fast anything is does not matter here. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BenchIT {

  @TempDir Path folder;

  @Test
  @NeedsServer(Server.POSTGRESQL)
  void a_quick_run_measures_every_workload() throws Exception {
    assertThat(measured("workload", "--store=postgresql"))
        .containsExactlyInAnyOrderElementsOf(Workloads.all().stream().map(Workload::name).toList());
    assertThat(folder.resolve("report.md")).isNotEmptyFile();
    assertThat(folder.resolve("postgresql-uncontended.svg")).isNotEmptyFile();
  }

  @Test
  @NeedsServer({Server.REDIS, Server.MARIADB, Server.ZOOKEEPER, Server.ETCD})
  void every_contender_takes_and_waits_for_locks() throws Exception {
    List<String> stores = List.of("redis", "mariadb", "zookeeper", "etcd");
    Set<String> contenders = new TreeSet<>();
    stores.forEach(
        store -> Catalogue.store(store).contenders().forEach(c -> contenders.add(c.label())));
    assertThat(
            measured(
                "contender",
                "--store=" + String.join(",", stores),
                "--workload=uncontended,one-lock,fairness"))
        .containsExactlyElementsOf(contenders);
  }

  @Test
  @NeedsServer(Server.POSTGRESQL)
  void a_durable_database_behind_a_network_is_measured_with_all_its_contenders() throws Exception {
    assertThat(measured("contender", "--store=postgresql-durable-0.5ms", "--workload=many-locks"))
        .containsExactlyInAnyOrder(
            "Holdfast, no hand-off",
            "floor",
            "floor, on separate threads",
            "Spring JDBC",
            "ShedLock JDBC");
    assertThat(folder.resolve("report.md"))
        .content(UTF_8)
        .contains("PostgreSQL, durable, 0.5 ms of network", "waits for its disk");
  }

  /** This field of all slices of a quick run without failures. */
  private Set<String> measured(String field, String... options) throws Exception {
    List<String> words = new ArrayList<>(List.of("--quick", "--out=" + folder));
    words.addAll(List.of(options));
    assertThat(Bench.execute(words.toArray(String[]::new))).isZero();
    JsonObject report =
        JsonParser.parseString(Files.readString(folder.resolve("report.json"))).getAsJsonObject();
    assertThat(report.getAsJsonArray("failures")).isEmpty();
    Set<String> found = new TreeSet<>();
    for (JsonElement slice : report.getAsJsonArray("slices")) {
      found.add(slice.getAsJsonObject().get(field).getAsString());
    }
    return found;
  }
}
