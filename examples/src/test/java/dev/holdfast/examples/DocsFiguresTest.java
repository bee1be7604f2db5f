package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The measured figures of docs/PERFORMANCE.md and docs/CHOOSING.md are those of docs/figures.tsv.
 */
class DocsFiguresTest {

  private static final String ONE_THREAD =
      "(One thread, each acquisition asks the server\t%1$s\tno hand-off|Choosing\t%1$s\tone thread)";
  private static final String SIXTEEN =
      "(16 threads on one lock, in one JVM\t%1$s\tHoldfast|Choosing\t%1$s\t16 threads.*)";
  private static final String ENGINE = "The engine alone\t.* · `%sBenchmark.%s`\tmeasured";
  private static final String HELD = "Choosing\tmemory:\tbytes of heap per lease, 10,000 held";
  private static final String GENERATION = "The run\tgeneration\t";
  private static final String COMMIT = "The run\tcommit\t";

  /** The headings of columns that name what was measured. */
  private static final Set<String> LABELS =
      Set.of("server", "who", "workload", "bar", "what", "benchmark");

  private static final Pattern FIGURE = Pattern.compile("(?:(\\w+) )?([\\d,]+)/s");

  private static final Pattern BRACKETS =
      Pattern.compile("([\\d.,]*\\d) \\(([\\d.,]+)–([\\d.,]+)\\)");

  /** What only Choosing has, and what says which run it was. */
  private static final Pattern ELSEWHERE = Pattern.compile("(Choosing|The run)\t.*");

  @Test
  void every_measured_cell_of_performance_is_in_the_file() {
    Map<String, String> figures = figures();
    figures.keySet().removeIf(key -> ELSEWHERE.matcher(key).matches());
    assertThat(measured(page("docs/PERFORMANCE.md"))).isEqualTo(figures).hasSizeGreaterThan(150);
  }

  @Test
  void every_median_lies_within_its_brackets_and_nothing_else_is_in_brackets() {
    int checked = 0;
    for (Map.Entry<String, String> figure : figures().entrySet()) {
      Matcher brackets = BRACKETS.matcher(figure.getValue());
      if (brackets.find()) {
        assertThat(number(brackets.group(1)))
            .as("%s: %s", figure.getKey(), figure.getValue())
            .isBetween(number(brackets.group(2)), number(brackets.group(3)));
        checked++;
      }
      assertThat(brackets.replaceAll("")).as(figure.getKey()).doesNotContain("(", ")");
    }
    assertThat(checked).isGreaterThan(40);
  }

  /**
   * Figures say nothing about a later way of acquiring and releasing. A page that still quotes them
   * has to say so.
   */
  @Test
  void figures_of_another_generation_are_not_quoted_as_if_they_were_of_this_one() {
    String measured = find(figures(), GENERATION);
    String generation = generation();
    String note =
        "**Out of date:** measured on generation %s of the path of an acquisition; the code is generation %s."
            .formatted(measured, generation);
    String page = page("docs/PERFORMANCE.md");
    if (measured.equals(generation)) {
      assertThat(page).doesNotContain("**Out of date:**");
    } else {
      assertThat(page.replaceAll("\\s+", " ")).contains(note);
      assertThat(page.indexOf("**Out of date:**")).isLessThan(page.indexOf('|'));
    }
    assertThat(page)
        .contains("- generation: " + measured + "\n")
        .contains("- commit: " + find(figures(), COMMIT) + "\n");
  }

  @Test
  void every_rate_in_choosing_is_in_the_file() {
    Map<String, String> figures = figures();
    List<String> headings = List.of();
    int checked = 0;
    for (String line : page("docs/CHOOSING.md").lines().filter(l -> l.startsWith("|")).toList()) {
      List<String> cells = cells(line);
      if (cells.get(0).isEmpty()) {
        headings = cells;
      }
      for (int i = 1; i < cells.size(); i++) {
        Matcher figure = FIGURE.matcher(cells.get(i));
        while (figure.find()) {
          String store = figure.group(1) == null ? headings.get(i) : figure.group(1);
          assertThat(figure.group(2))
              .as("%s: %s", store, cells.get(0))
              .isEqualTo(rate(figures, store, cells.get(0)));
          checked++;
        }
      }
    }
    assertThat(checked).isEqualTo(15);
  }

  @Test
  void the_figures_in_the_text_of_choosing_are_in_the_file() {
    assertThat(page("docs/CHOOSING.md").replaceAll("\\s+", " "))
        .contains("take " + figures().get(HELD) + " bytes of heap each")
        .contains("are " + times() + " times as fast as one");
  }

  /** The constant that the benchmark writes into its report. */
  private static String generation() {
    Matcher number =
        Pattern.compile("int NUMBER = (\\d+);")
            .matcher(
                page("holdfast-bench/src/main/java/dev/holdfast/bench/report/Generation.java"));
    assertThat(number.find()).isTrue();
    return number.group(1);
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }

  /** The figure of a row of Choosing, without its unit. */
  private static String rate(Map<String, String> figures, String column, String row) {
    boolean alone = row.equals("taken and given back, one thread");
    assertThat(alone || row.equals("the same by 16 threads of one client")).as(row).isTrue();
    String store = column.equals("Redis, Valkey, Tair") ? "Redis" : column;
    String key =
        switch (store) {
          case "`memory:`" -> ENGINE.formatted("Memory", alone ? "uncontended" : "sixteenThreads");
          case "SQLite" -> ENGINE.formatted("Sqlite", alone ? "oneThread" : "sixteenThreads");
          default -> (alone ? ONE_THREAD : SIXTEEN).formatted(store);
        };
    return find(figures, key).replaceAll("/s.*", "");
  }

  private static String times() {
    String figure = find(figures(), ENGINE.formatted("Sqlite", "sixteenThreads"));
    return figure.replaceAll(".*/s, (\\d+) times the rate of one thread", "$1");
  }

  private static String find(Map<String, String> figures, String key) {
    List<String> found =
        figures.entrySet().stream()
            .filter(figure -> figure.getKey().matches(key))
            .map(Map.Entry::getValue)
            .toList();
    assertThat(found).as(key).hasSize(1);
    return found.get(0);
  }

  /** By table, row and column, with tabs between them. */
  private static Map<String, String> figures() {
    Map<String, String> figures = new TreeMap<>();
    page("docs/figures.tsv")
        .lines()
        .skip(1)
        .forEach(
            line -> {
              int value = line.lastIndexOf('\t');
              String before = figures.put(line.substring(0, value), line.substring(value + 1));
              assertThat(before).as("a second %s", line).isNull();
            });
    return figures;
  }

  /** The cells of all tables of measurements, with the keys that they have in the file. */
  private static Map<String, String> measured(String page) {
    Map<String, String> found = new TreeMap<>();
    String table = "";
    List<String> headings = List.of();
    for (String line : page.substring(page.indexOf("## What is missed")).lines().toList()) {
      if (line.startsWith("#")) {
        table = line.replaceFirst("#+ ", "");
      }
      if (!line.startsWith("|") || table.equals("Round trips")) {
        headings = List.of();
      } else if (headings.isEmpty()) {
        headings = cells(line);
      } else if (!line.startsWith("| ---")) {
        List<String> cells = cells(line);
        int labels = (int) headings.stream().filter(LABELS::contains).count();
        String row = String.join(" · ", cells.subList(0, labels));
        for (int i = labels; i < cells.size(); i++) {
          if (!cells.get(i).isEmpty() && !cells.get(i).equals("–")) {
            found.put(table + "\t" + row + "\t" + headings.get(i), cells.get(i));
          }
        }
      }
    }
    return found;
  }

  private static List<String> cells(String row) {
    String inner = row.strip().replace("**", "").replaceAll("^\\||\\|$", "");
    return Stream.of(inner.split("\\|", -1)).map(String::strip).toList();
  }

  private static String page(String name) {
    return Repository.read(Repository.root().resolve(name));
  }
}
