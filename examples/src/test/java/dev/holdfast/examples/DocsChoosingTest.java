package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.Stores;
import dev.holdfast.Traits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of docs/CHOOSING.md say what the stores say of themselves. */
class DocsChoosingTest {

  /** The columns that are one store, by their headings. */
  private static final Map<String, String> SCHEMES =
      Map.of(
          "`memory:`", "memory",
          "SQLite", "sqlite",
          "Redis, Valkey, Tair", "redis",
          "Memcached", "memcached",
          "ZooKeeper", "zookeeper",
          "etcd", "etcd",
          "Consul", "consul");

  private static final Map<String, Function<Traits, String>> ROWS =
      Map.of(
          "first come, first served", traits -> traits.fair() ? "yes" : "no",
          "the next in line learns of its turn",
              traits -> traits.pushes() ? "pushed" : traits.fair() ? "polled" : "asks again",
          "**reliability**: consistent or available",
              traits -> traits.consistency() == Consistency.LINEARIZABLE ? "consistent" : "",
          "shortest ttl", traits -> text(traits.minTtl()),
          "minHold", traits -> traits.lingers() ? "yes" : "no");

  @Test
  void every_cell_that_a_trait_decides_is_true() {
    int checked = 0;
    List<String> headings = List.of();
    for (List<String> cells : rows()) {
      if (cells.get(1).isEmpty()) {
        headings = cells;
      }
      Function<Traits, String> said = ROWS.get(cells.get(1));
      for (int i = 2; said != null && i < headings.size(); i++) {
        String scheme = SCHEMES.get(headings.get(i));
        if (scheme != null) {
          Traits traits = Stores.providers().get(scheme).traits(scheme);
          assertThat(cells.get(i))
              .as("%s: %s", scheme, cells.get(1))
              .startsWith(said.apply(traits));
          checked++;
        }
      }
    }
    assertThat(checked).isEqualTo(3 * 7 + 2 * 3);
  }

  /** The cells of all tables, beginning with the nothing before the first bar. */
  private static List<List<String>> rows() {
    return Repository.read(Repository.root().resolve("docs/CHOOSING.md"))
        .lines()
        .filter(line -> line.startsWith("| "))
        .map(line -> Stream.of(line.split("\\|")).map(String::strip).toList())
        .toList();
  }

  private static String text(Duration ttl) {
    return ttl.toMillis() < 1000 ? ttl.toMillis() + " ms" : ttl.toSeconds() + " s";
  }
}
