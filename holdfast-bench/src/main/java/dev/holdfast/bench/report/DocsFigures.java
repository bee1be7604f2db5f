package dev.holdfast.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The figures of docs/PERFORMANCE.md by table, row and column, with tabs between them: what
 * docs/figures.tsv keeps.
 */
record DocsFigures(Map<String, String> figures) {

  private static final String FIRST_TABLE = "## What is missed";
  private static final String RUN = "The run";

  /** Figures that only CHOOSING.md has, and that no run of the benchmark makes. */
  private static final String ELSEWHERE = "Choosing\t";

  private static final Set<String> LABELS =
      Set.of("server", "who", "workload", "bar", "what", "benchmark");

  private static final Pattern RATE = Pattern.compile("(?:(\\w+) )?([\\d,]+)/s");

  static DocsFigures of(String page, Setting setting, String before) {
    Map<String, String> figures = new LinkedHashMap<>();
    for (String fact : List.of(Setting.COMMIT, Setting.GENERATION)) {
      figures.put(RUN + "\t" + fact + "\t", setting.facts().getOrDefault(fact, "unknown"));
    }
    figures.putAll(scanned(page));
    before
        .lines()
        .filter(line -> line.startsWith(ELSEWHERE))
        .forEach(
            line -> {
              int value = line.lastIndexOf('\t');
              figures.put(line.substring(0, value), line.substring(value + 1));
            });
    return new DocsFigures(figures);
  }

  String text() {
    StringBuilder text = new StringBuilder("table\trow\tcolumn\tvalue\n");
    figures.forEach((key, value) -> text.append(key).append('\t').append(value).append('\n'));
    return text.toString();
  }

  /** The page with the rates of this run; a rate that was not measured stays. */
  String inChoosing(String page) {
    StringBuilder text = new StringBuilder();
    List<String> headings = List.of();
    for (String line : page.split("\n", -1)) {
      List<String> cells = cells(line);
      if (line.startsWith("| |")) {
        headings = cells;
      }
      String table =
          switch (cells.get(0)) {
            case "taken and given back, one thread" ->
                "One thread, each acquisition asks the server";
            case "the same by 16 threads of one client" -> "16 threads on one lock, in one JVM";
            default -> "";
          };
      text.append(table.isEmpty() ? line : withRates(table, cells, headings)).append('\n');
    }
    return text.substring(0, text.length() - 1);
  }

  private String withRates(String table, List<String> cells, List<String> headings) {
    List<String> changed = new ArrayList<>(List.of(cells.get(0)));
    for (int i = 1; i < cells.size(); i++) {
      String heading = headings.get(i);
      changed.add(
          RATE.matcher(cells.get(i))
              .replaceAll(found -> Matcher.quoteReplacement(rate(found, table, heading))));
    }
    return "| " + String.join(" | ", changed) + " |";
  }

  private String rate(MatchResult found, String table, String heading) {
    String named = found.group(1);
    String server = named == null ? heading.replaceFirst(",.*", "") : named;
    String column = table.startsWith("One thread") ? "no hand-off" : "Holdfast";
    @Nullable String measured = figures.get(table + "\t" + server + "\t" + column);
    return measured == null ? found.group() : (named == null ? "" : named + " ") + measured + "/s";
  }

  private static Map<String, String> scanned(String page) {
    Map<String, String> found = new LinkedHashMap<>();
    String table = "";
    List<String> headings = List.of();
    for (String line : page.substring(page.indexOf(FIRST_TABLE)).lines().toList()) {
      if (line.startsWith("#")) {
        table = line.replaceFirst("#+ ", "");
      }
      if (!line.startsWith("|") || table.equals("Round trips")) {
        headings = List.of();
      } else if (headings.isEmpty()) {
        headings = cells(line);
      } else if (!line.startsWith("| ---")) {
        scan(table, headings, cells(line), found);
      }
    }
    return found;
  }

  private static void scan(
      String table, List<String> headings, List<String> cells, Map<String, String> found) {
    int labels = (int) headings.stream().filter(LABELS::contains).count();
    String row = String.join(" · ", cells.subList(0, labels));
    for (int i = labels; i < cells.size(); i++) {
      if (!cells.get(i).isEmpty() && !cells.get(i).equals(MarkdownTable.NOTHING)) {
        found.put(table + "\t" + row + "\t" + headings.get(i), cells.get(i));
      }
    }
  }

  private static List<String> cells(String row) {
    String inner = row.strip().replace("**", "").replaceAll("^\\||\\|$", "");
    return Stream.of(inner.split("\\|", -1)).map(String::strip).toList();
  }
}
