package dev.holdfast.bench.report;

import dev.holdfast.bench.catalogue.Catalogue;
import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.contender.HoldfastClient;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What docs/PERFORMANCE.md says about a report, part by part; the report itself says more. */
record DocsTables(Results results) {

  private static final String DEFAULT = HoldfastClient.BY_DEFAULT.label();
  private static final String ASKING = HoldfastClient.WITHOUT_HAND_OFF.label();
  private static final String SLICED = HoldfastClient.WITH_SLICE.label();

  /** The bars that are missed, and what that means. */
  String missed() {
    List<Verdict> all = verdicts();
    List<Verdict> missed = all.stream().filter(verdict -> !verdict.met()).toList();
    String summary = missed.size() + " of " + all.size() + " bars are missed.\n";
    if (missed.isEmpty()) {
      return summary;
    }
    List<String> head = List.of("server", "workload", "bar", "measured", "what it means for you");
    return summary
        + "\n"
        + new MarkdownTable(
            head,
            missed.stream()
                .map(
                    v ->
                        List.of(
                            Catalogue.store(v.store()).title(),
                            "`" + v.workload() + "`",
                            v.bar(),
                            v.figure(),
                            v.meaning()))
                .toList());
  }

  /** All bars: a row for each, a column for each kind of server. */
  String bars() {
    List<String> servers = verdicts().stream().map(v -> server(v.store())).distinct().toList();
    Map<List<String>, Map<String, String>> rows = new LinkedHashMap<>();
    for (Verdict v : verdicts()) {
      List<String> row = List.of("`" + v.workload() + "`" + place(v.store()), v.bar());
      String figure = v.met() ? v.figure() : "**" + v.figure() + "**";
      String before = Before.of(v).map(earlier -> earlier + " → ").orElse("");
      rows.computeIfAbsent(row, r -> new LinkedHashMap<>()).put(server(v.store()), before + figure);
    }
    List<String> head = new ArrayList<>(List.of("workload", "bar"));
    head.addAll(servers);
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(
        (labels, figures) -> {
          List<String> row = new ArrayList<>(labels);
          servers.forEach(s -> row.add(figures.getOrDefault(s, MarkdownTable.NOTHING)));
          cells.add(row);
        });
    return new MarkdownTable(head, cells).toString();
  }

  /** One row for each server: Holdfast with each setting, the floor and the best peer. */
  String compared(Workload workload) {
    List<List<String>> rows = new ArrayList<>();
    for (Store store : measured(workload)) {
      Metric metric = results.metrics(store.name(), workload.name()).get(0);
      Scores scores = new Scores(store, results);
      String judged = scores.judged(workload.name());
      String peer = scores.bestPeer(workload.name(), metric, any -> true).orElse("");
      rows.add(
          List.of(
              store.title(),
              median(store, workload, DEFAULT, metric),
              median(store, workload, ASKING, metric),
              median(store, workload, SLICED, metric),
              median(store, workload, Floor.LABEL, metric),
              peer.isEmpty()
                  ? MarkdownTable.NOTHING
                  : peer + ": " + median(store, workload, peer, metric),
              ratio(scores, workload, Metric.RATE, Floor.LABEL, judged),
              ratio(scores, workload, metric, judged, peer),
              median(store, workload, DEFAULT, Metric.PER_REQUEST)));
    }
    List<String> head =
        List.of(
            "server",
            "Holdfast",
            "no hand-off",
            "slice of 100 ms",
            "floor",
            "best peer",
            "time, × the floor's",
            "× the best peer's",
            "acquisitions per request");
    return new MarkdownTable(head, rows).withoutEmptyColumns().toString();
  }

  /** A row for each contender of each server, with the figures of all clients in one cell. */
  String shares(Workload workload) {
    List<List<String>> rows = new ArrayList<>();
    for (Store store : measured(workload)) {
      for (String who : results.contenders(store, workload.name())) {
        rows.add(
            List.of(
                store.title(),
                who,
                median(store, workload, who, Metric.CLIENT_SPREAD),
                joined(store, workload, who, metric -> metric.words().startsWith("turns/s")),
                joined(store, workload, who, metric -> metric.words().startsWith("longest"))));
      }
    }
    List<String> head =
        List.of(
            "server",
            "who",
            "most / fewest turns of a client",
            "turns/s with 1 / 2 / 8 threads",
            "longest wait in ms with 1 / 2 / 8 threads");
    return new MarkdownTable(head, rows).toString();
  }

  /** A row for each server, with the figures for ever more waiters in one cell. */
  String requests(Workload workload) {
    List<List<String>> rows = new ArrayList<>();
    for (Store store : measured(workload)) {
      List<String> row = new ArrayList<>(List.of(store.title()));
      for (String who : List.of(DEFAULT, ASKING, SLICED)) {
        row.add(joined(store, workload, who, Metric::isRequestsPerTurn));
      }
      row.add(joined(store, workload, SLICED, metric -> !metric.isRequestsPerTurn()));
      rows.add(row);
    }
    List<String> head =
        List.of(
            "server",
            "Holdfast",
            "no hand-off",
            "slice of 100 ms",
            "acquisitions per turn, with the slice");
    return new MarkdownTable(head, rows).toString();
  }

  /** All stores with figures of this workload. */
  List<Store> measured(Workload workload) {
    return Catalogue.stores().stream()
        .filter(store -> results.has(store.name(), workload.name()))
        .toList();
  }

  private List<Verdict> verdicts() {
    return Catalogue.stores().stream()
        .flatMap(store -> Bars.judge(store, results).stream())
        .toList();
  }

  private static String server(String store) {
    return Catalogue.store(store).kind();
  }

  private static String place(String store) {
    return Catalogue.store(store).title().replaceFirst("^[^,]*", "");
  }

  private String median(Store store, Workload workload, String who, Metric metric) {
    return results
        .median(store.name(), workload.name(), who, metric)
        .map(Figures::text)
        .orElse(MarkdownTable.NOTHING);
  }

  private static String ratio(
      Scores scores, Workload workload, Metric metric, String first, String second) {
    return scores
        .ratio(workload.name(), metric, first, second)
        .map(Ratio::toString)
        .orElse(MarkdownTable.NOTHING);
  }

  private String joined(Store store, Workload workload, String who, Predicate<Metric> which) {
    return results.metrics(store.name(), workload.name()).stream()
        .filter(which)
        .map(metric -> median(store, workload, who, metric))
        .collect(Collectors.joining(" / "));
  }
}
