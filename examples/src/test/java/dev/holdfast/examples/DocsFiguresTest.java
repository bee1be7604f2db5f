package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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

  private static final String ONE_THREAD = "One thread, uncontended\t%s · Holdfast\tper second";
  private static final String SIXTEEN =
      "16 threads on one lock, in one JVM\t%s · Holdfast\tper second";
  private static final String ENGINE = "The engine alone\t.* · `%sBenchmark.%s`\tmeasured";
  private static final String SLOWER = ", on a slower machine";
  private static final String HELD = "10,000 leases held\tmemory:\tbytes of heap per lease";

  /** The headings of columns that name what was measured. */
  private static final Set<String> LABELS =
      Set.of("server", "who", "workload", "bar", "", "what", "benchmark");

  private static final Pattern FIGURE = Pattern.compile("(?:(\\w+) )?([\\d,]+)/s");

  @Test
  void every_measured_cell_of_performance_is_in_the_file() {
    Map<String, String> figures = figures();
    assertThat(figures.remove(SIXTEEN.formatted("Memcached") + SLOWER)).isNotNull();
    assertThat(figures.remove(HELD)).isNotNull();
    assertThat(measured(page("docs/PERFORMANCE.md"))).isEqualTo(figures).hasSizeGreaterThan(300);
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

  /** The figure of a row of Choosing, without its unit. */
  private static String rate(Map<String, String> figures, String column, String row) {
    boolean alone = row.equals("taken and given back, one thread");
    assertThat(alone || row.equals("the same by 16 threads of one client")).as(row).isTrue();
    String store = column.equals("Redis, Valkey, Tair") ? "Redis" : column;
    String key =
        switch (store) {
          case "`memory:`" -> ENGINE.formatted("Memory", alone ? "uncontended" : "sixteenThreads");
          case "SQLite" -> ENGINE.formatted("Sqlite", alone ? "oneThread" : "sixteenThreads");
          default -> (alone ? ONE_THREAD : SIXTEEN).formatted(store) + "(" + SLOWER + ")?";
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
    String first = "";
    List<String> headings = List.of();
    for (String line : page.substring(page.indexOf("## Side by side")).lines().toList()) {
      if (line.startsWith("#")) {
        table = line.replaceFirst("#+ ", "");
      }
      if (!line.startsWith("|") || table.equals("Round trips")) {
        headings = List.of();
      } else if (headings.isEmpty()) {
        headings = cells(line);
      } else if (!line.startsWith("| ---")) {
        List<String> cells = new ArrayList<>(cells(line));
        first = cells.get(0).isEmpty() ? first : cells.get(0);
        cells.set(0, first);
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
