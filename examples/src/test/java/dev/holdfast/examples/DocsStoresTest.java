package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.Stores;
import dev.holdfast.Traits;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of all stores says what the stores say of themselves, and README agrees with it. */
class DocsStoresTest {

  private static final String ALL_STORES = "docs/stores/README.md";

  @Test
  void every_store_has_a_row_and_it_is_true() {
    Stores.providers()
        .forEach(
            (scheme, provider) -> {
              if (!Stores.modules().containsKey(scheme)) {
                return; // not one of ours, but an example
              }
              Traits traits = provider.traits(scheme);
              List<String> row = row(ALL_STORES, scheme);
              assertThat(row).as("the row of %s in %s", scheme, ALL_STORES).hasSize(8);
              assertThat(row.get(3))
                  .startsWith(traits.spansProcesses() ? "processes of" : "threads of one process");
              assertThat(row.get(4))
                  .startsWith(
                      traits.consistency() == Consistency.LINEARIZABLE
                          ? "linearizable"
                          : "best effort");
              assertThat(row.subList(5, 8))
                  .as("survives restart, fair, wake-up of %s", scheme)
                  .containsExactly(
                      traits.durable() ? "yes" : "no",
                      traits.fair() ? "yes" : "no",
                      traits.pushes() ? "pushed" : "polled");
            });
  }

  @Test
  void the_three_stores_of_the_readme_are_as_in_the_table_of_all_stores() {
    for (String scheme : List.of("sqlite", "jdbc:postgresql", "redis")) {
      List<String> brief = row("README.md", scheme);
      List<String> full = row(ALL_STORES, scheme);
      assertThat(brief).as("README's row of %s", scheme).hasSize(6);
      assertThat(brief.get(1)).as("URL of %s", scheme).isEqualTo(full.get(1));
      assertThat(brief.get(3)).as("what %s excludes", scheme).isEqualTo(full.get(3));
    }
  }

  /** The cells, beginning with the nothing before the first bar. */
  private static List<String> row(String document, String scheme) {
    return Repository.read(Repository.root().resolve(document))
        .lines()
        .filter(line -> line.matches("\\| [^|]*`" + scheme + ":.*"))
        .flatMap(line -> Stream.of(line.split("\\|")))
        .map(String::strip)
        .toList();
  }
}
