package dev.holdfast.bench.report;

import dev.holdfast.bench.contender.Floor;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.workload.Metric;
import dev.holdfast.bench.workload.Workload;
import java.util.List;
import java.util.Locale;

/** A bar for each contender, drawn as SVG; readable on a light and on a dark page. */
record Chart(Store store, Workload workload, Metric metric, Results results) {

  private static final int ROW = 26;
  private static final int TOP = 48;
  private static final int LABELS = 220;
  private static final int BARS = 380;
  private static final int FIGURES = 170;

  private record Row(String label, double value, String ratio) {}

  String file() {
    return store.name() + "-" + workload.name() + ".svg";
  }

  String svg() {
    List<Row> rows =
        results.contenders(store, workload.name()).stream()
            .flatMap(
                label ->
                    results.median(store.name(), workload.name(), label, metric).stream()
                        .map(value -> new Row(label, value, ratio(label))))
            .sorted((a, b) -> metric.isBetter(a.value(), b.value()) ? -1 : 1)
            .toList();
    double longest = rows.stream().mapToDouble(Row::value).max().orElse(1);
    int width = LABELS + BARS + FIGURES;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="13">
            <rect width="100%%" height="100%%" fill="#ffffff"/>
            <text x="12" y="20" font-size="15" font-weight="bold" fill="#1f2328">%3$s</text>
            <text x="12" y="38" fill="#59636e">%4$s, median; %5$s is better</text>
            """,
            width,
            TOP + ROW * rows.size() + 8,
            escaped(store.title() + ": " + workload.title()),
            escaped(metric.words()),
            metric.better().name().toLowerCase(Locale.ROOT)));
    for (int i = 0; i < rows.size(); i++) {
      svg.append(bar(rows.get(i), TOP + ROW * i, longest));
    }
    return svg.append("</svg>\n").toString();
  }

  private String ratio(String label) {
    String judged = new Scores(store, results).judged(workload.name());
    return label.equals(judged)
        ? ""
        : results
            .ratio(store.name(), workload.name(), metric, label, judged)
            .map(ratio -> " (" + Figures.text(ratio.median()) + " × " + judged + ")")
            .orElse("");
  }

  private static String bar(Row row, int y, double longest) {
    double length = longest == 0 ? 0 : Math.max(1, BARS * row.value() / longest);
    return String.format(
        Locale.ROOT,
        """
        <text x="%d" y="%d" text-anchor="end" fill="#1f2328">%s</text>
        <rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>
        <text x="%.1f" y="%d" fill="#1f2328">%s</text>
        """,
        LABELS - 8,
        y + 17,
        escaped(row.label()),
        LABELS,
        y + 4,
        length,
        ROW - 8,
        colour(row.label()),
        LABELS + length + 6,
        y + 17,
        Figures.text(row.value()) + row.ratio());
  }

  private static String colour(String label) {
    return label.startsWith(Scores.HOLDFAST)
        ? "#0969da"
        : label.equals(Floor.LABEL) ? "#9a6700" : "#8c959f";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
