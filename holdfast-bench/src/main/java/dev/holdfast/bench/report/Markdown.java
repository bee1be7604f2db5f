package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Feature;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The report for people: the bars that are missed, those that are met, what each contender gives,
 * then all tables.
 */
record Markdown(Report report) {

  String text() {
    StringBuilder text = new StringBuilder("# Benchmark\n\n");
    report
        .setting()
        .facts()
        .forEach(
            (name, fact) -> text.append("- ").append(name).append(": ").append(fact).append('\n'));
    text.append('\n').append(Legend.TURN).append('\n').append(Legend.BRACKETS).append('\n');
    text.append(Legend.NO_HAND_OFF).append("\n\n");
    missed(text);
    met(text);
    for (Store store : report.stores()) {
      text.append("## ").append(store.title()).append("\n\n");
      features(text, store);
      for (Workload workload : report.workloads()) {
        if (report.results().has(store.name(), workload.name())) {
          workload(text, store, workload);
        }
      }
    }
    failures(text);
    return text.toString();
  }

  private void missed(StringBuilder text) {
    List<Verdict> missed = report.bars().stream().filter(v -> !v.met()).toList();
    text.append("## Bars that are missed: ").append(missed.size()).append("\n\n");
    table(
        text,
        List.of("store", "workload", "bar", "measured", "what it means for you"),
        missed.stream()
            .map(v -> List.of(v.store(), v.workload(), v.bar(), v.figure(), v.meaning()))
            .toList());
  }

  private void met(StringBuilder text) {
    List<Verdict> met = report.bars().stream().filter(Verdict::met).toList();
    text.append("## Bars that are met: ").append(met.size()).append("\n\n");
    table(
        text,
        List.of("store", "workload", "bar", "measured"),
        met.stream().map(v -> List.of(v.store(), v.workload(), v.bar(), v.figure())).toList());
  }

  private static void features(StringBuilder text, Store store) {
    text.append("What each gives:\n\n");
    List<String> head = new ArrayList<>(List.of(""));
    head.addAll(Arrays.stream(Feature.values()).map(Feature::words).toList());
    table(text, head, store.contenders().stream().map(Markdown::features).toList());
  }

  private static List<String> features(Contender contender) {
    List<String> cells = new ArrayList<>(List.of(contender.label()));
    for (Feature feature : Feature.values()) {
      cells.add(contender.gives(feature) ? "yes" : "–");
    }
    return cells;
  }

  private void workload(StringBuilder text, Store store, Workload workload) {
    text.append("### ").append(workload.title()).append("\n\n");
    text.append("![](").append(store.name() + "-" + workload.name() + ".svg").append(")\n\n");
    List<String> contenders = report.results().contenders(store, workload.name());
    List<Metric> metrics = report.results().metrics(store.name(), workload.name());
    List<String> yardsticks =
        List.of(new Scores(store, report.results()).judged(workload.name()), Floor.LABEL).stream()
            .filter(contenders::contains)
            .toList();
    List<String> head = new ArrayList<>(List.of("", metrics.get(0).words()));
    yardsticks.forEach(other -> head.add("× " + other));
    metrics.stream().skip(1).forEach(metric -> head.add(metric.words()));
    List<List<String>> rows = new ArrayList<>();
    for (String contender : contenders) {
      List<String> row = new ArrayList<>(List.of(contender));
      row.add(median(store, workload, contender, metrics.get(0)));
      yardsticks.forEach(
          other -> row.add(ratio(store, workload, metrics.get(0), contender, other)));
      metrics.stream()
          .skip(1)
          .forEach(metric -> row.add(median(store, workload, contender, metric)));
      rows.add(row);
    }
    table(text, head, rows);
  }

  private String median(Store store, Workload workload, String contender, Metric metric) {
    return report
        .results()
        .median(store.name(), workload.name(), contender, metric)
        .map(Figures::text)
        .orElse("–");
  }

  private String ratio(
      Store store, Workload workload, Metric metric, String contender, String other) {
    return contender.equals(other)
        ? "1"
        : report
            .results()
            .ratio(store.name(), workload.name(), metric, contender, other)
            .map(Ratio::toString)
            .orElse("–");
  }

  private void failures(StringBuilder text) {
    List<Results.Failure> failures = report.results().failures();
    if (!failures.isEmpty()) {
      text.append("## Not measured\n\n");
      table(
          text,
          List.of("store", "workload", "contender", "why"),
          failures.stream()
              .map(f -> List.of(f.store(), f.workload(), f.contender(), f.why()))
              .toList());
    }
  }

  private static void table(StringBuilder text, List<String> head, List<List<String>> rows) {
    text.append(new MarkdownTable(head, rows)).append('\n');
  }
}
