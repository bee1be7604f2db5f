package dev.holdfast.bench.report;

import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes what was found, for people and for programs. */
public record Report(
    List<Store> stores, List<Workload> workloads, Results results, Setting setting) {

  /** Writes all files into this folder, and returns the one to read first. */
  public Path write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("report.json"), new Json(results, setting).text(bars()));
    for (Store store : stores) {
      for (Workload workload : workloads) {
        for (Metric metric :
            results.metrics(store.name(), workload.name()).stream().limit(1).toList()) {
          Chart chart = new Chart(store, workload, metric, results);
          Files.writeString(folder.resolve(chart.file()), chart.svg());
        }
      }
    }
    return Files.writeString(folder.resolve("report.md"), new Markdown(this).text());
  }

  /** Returns whether each bar is met, a line each. */
  public String verdicts() {
    StringBuilder text = new StringBuilder();
    for (Verdict verdict : bars()) {
      text.append(verdict.met() ? "met      " : "NOT MET  ").append(verdict.line()).append('\n');
    }
    return text.toString();
  }

  List<Verdict> bars() {
    return stores.stream().flatMap(store -> Bars.judge(store, results).stream()).toList();
  }
}
