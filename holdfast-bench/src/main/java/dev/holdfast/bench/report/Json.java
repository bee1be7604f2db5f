package dev.holdfast.bench.report;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import dev.holdfast.bench.workload.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report for programs: every slice, so that readers can do their own calculations. */
record Json(Results results, Setting setting, List<Verdict> bars) {

  String text() {
    JsonObject report = new JsonObject();
    var gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    report.add("setting", gson.toJsonTree(setting.facts()));
    report.add("bars", gson.toJsonTree(bars));
    report.add("failures", gson.toJsonTree(results.failures()));
    report.add("slices", gson.toJsonTree(results.samples().stream().map(Json::plain).toList()));
    return gson.toJson(report) + "\n";
  }

  private static Map<String, Object> plain(Results.Sample sample) {
    Map<String, Double> figures = new LinkedHashMap<>();
    sample.figures().forEach((Metric metric, Double value) -> figures.put(metric.words(), value));
    Map<String, Object> plain = new LinkedHashMap<>();
    plain.put("store", sample.store());
    plain.put("workload", sample.workload());
    plain.put("contender", sample.contender());
    plain.put("round", sample.round());
    plain.put("figures", figures);
    return plain;
  }
}
