package dev.holdfast.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.bench.workload.Metric;
import java.util.LinkedHashMap;
import java.util.Map;

/** The report for programs: every slice, so that readers can do their own calculations. */
record Json(Results results, Setting setting) {

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  static Json read(String text) {
    JsonObject report = JsonParser.parseString(text).getAsJsonObject();
    Map<String, String> facts = new LinkedHashMap<>();
    report
        .getAsJsonObject("setting")
        .entrySet()
        .forEach(fact -> facts.put(fact.getKey(), fact.getValue().getAsString()));
    JsonObject better = report.getAsJsonObject("better");
    Results results = new Results();
    for (JsonElement failure : report.getAsJsonArray("failures")) {
      results.add(GSON.fromJson(failure, Results.Failure.class));
    }
    for (JsonElement slice : report.getAsJsonArray("slices")) {
      results.add(GSON.fromJson(slice, Slice.class).sample(better));
    }
    return new Json(results, new Setting(facts));
  }

  String text(Iterable<Verdict> bars) {
    JsonObject better = new JsonObject();
    results.samples().stream()
        .flatMap(sample -> sample.figures().keySet().stream())
        .forEach(metric -> better.addProperty(metric.words(), metric.better().name()));
    JsonObject report = new JsonObject();
    report.add("setting", GSON.toJsonTree(setting.facts()));
    report.add("bars", GSON.toJsonTree(bars));
    report.add("failures", GSON.toJsonTree(results.failures()));
    report.add("better", better);
    report.add("slices", GSON.toJsonTree(results.samples().stream().map(Slice::of).toList()));
    return GSON.toJson(report) + "\n";
  }

  /** A sample whose metrics are words. */
  private record Slice(
      String store, String workload, String contender, int round, Map<String, Double> figures) {

    static Slice of(Results.Sample sample) {
      Map<String, Double> figures = new LinkedHashMap<>();
      sample.figures().forEach((Metric metric, Double value) -> figures.put(metric.words(), value));
      return new Slice(
          sample.store(), sample.workload(), sample.contender(), sample.round(), figures);
    }

    Results.Sample sample(JsonObject better) {
      Map<Metric, Double> known = new LinkedHashMap<>();
      figures.forEach(
          (words, value) -> {
            Metric.Better way = Metric.Better.valueOf(better.get(words).getAsString());
            known.put(new Metric(words, way), value);
          });
      return new Results.Sample(store, workload, contender, round, known);
    }
  }
}
