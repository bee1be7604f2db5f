package dev.holdfast.bench.report;

import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Workload;
import dev.holdfast.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Fills the pages of docs/ from a report: the parts of PERFORMANCE.md between {@code <!-- name -->}
 * and {@code <!-- /name -->}, the charts, figures.tsv, which has all figures for programs, and the
 * rates in CHOOSING.md.
 */
public final class Docs {

  private static final List<String> CHARTED = List.of("repeat", "one-lock", "fairness");

  private static final Pattern PART =
      Pattern.compile("(?s)(<!-- ([\\w-]+) -->\n).*?(<!-- /\\2 -->)");

  private final Path folder;
  private final Results results;
  private final Setting setting;
  private final DocsTables tables;

  private Docs(Path folder, Json report) {
    this.folder = folder;
    this.results = report.results();
    this.setting = report.setting();
    this.tables = new DocsTables(results);
  }

  /** From this report.json into this folder. */
  public static void fill(Path report, Path folder) throws IOException {
    new Docs(folder, Json.read(Files.readString(report))).fill();
  }

  private void fill() throws IOException {
    Path performance = folder.resolve("PERFORMANCE.md");
    String page = filled(Files.readString(performance));
    Files.writeString(performance, page);
    Path file = folder.resolve("figures.tsv");
    DocsFigures figures = DocsFigures.of(page, setting, Files.readString(file));
    Files.writeString(file, figures.text());
    Path choosing = folder.resolve("CHOOSING.md");
    Files.writeString(choosing, figures.inChoosing(Files.readString(choosing)));
    for (String name : CHARTED) {
      Workload workload = Workloads.get(name);
      for (Store store : tables.measured(workload)) {
        Chart chart =
            new Chart(store, workload, results.metrics(store.name(), name).get(0), results);
        Files.writeString(folder.resolve("charts").resolve(chart.file()), chart.svg());
      }
    }
  }

  private String filled(String page) {
    Map<String, String> parts = parts();
    return PART.matcher(page)
        .replaceAll(
            part -> {
              String text = parts.get(part.group(2));
              if (text == null) {
                throw new IllegalStateException("nothing is known about " + part.group(2));
              }
              return Matcher.quoteReplacement(part.group(1) + text + part.group(3));
            });
  }

  private Map<String, String> parts() {
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("out-of-date", outOfDate());
    parts.put("setting", settingText());
    parts.put("missed", tables.missed());
    parts.put("bars", tables.bars());
    for (Workload workload : Workloads.all()) {
      String table =
          switch (workload.name()) {
            case "fairness", "fairness-1ms" -> tables.shares(workload);
            case "requests" -> tables.requests(workload);
            default -> tables.compared(workload);
          };
      parts.put(workload.name(), table + charts(workload));
    }
    return parts;
  }

  private String charts(Workload workload) {
    List<String> images = new ArrayList<>();
    if (CHARTED.contains(workload.name())) {
      for (Store store : tables.measured(workload)) {
        String file = store.name() + "-" + workload.name() + ".svg";
        images.add("![" + store.title() + "](charts/" + file + ")");
      }
    }
    return images.isEmpty() ? "" : "\n" + String.join("\n", images) + "\n";
  }

  /** Nothing about a report of this code. */
  private String outOfDate() {
    String measured = setting.facts().getOrDefault(Setting.GENERATION, "unknown");
    return measured.equals("" + Generation.NUMBER)
        ? ""
        : "**Out of date:** measured on generation "
            + measured
            + " of the path of an acquisition; the code is generation "
            + Generation.NUMBER
            + ".\n";
  }

  private String settingText() {
    return setting.facts().entrySet().stream()
        .map(fact -> "- " + fact.getKey() + ": " + fact.getValue() + "\n")
        .collect(Collectors.joining());
  }
}
