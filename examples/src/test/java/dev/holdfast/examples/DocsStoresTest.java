package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.Stores;
import dev.holdfast.Traits;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** README's store table says what the stores say of themselves. */
class DocsStoresTest {

  @Test
  void every_store_has_a_row_and_it_is_true() {
    Stores.providers()
        .forEach(
            (scheme, provider) -> {
              Traits traits = provider.traits(scheme);
              List<String> row = row(scheme);
              assertThat(row).as("README's row of %s", scheme).hasSize(8);
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

  /** The cells, beginning with the nothing before the first bar. */
  private static List<String> row(String scheme) {
    return Repository.read(Repository.root().resolve("README.md"))
        .lines()
        .filter(line -> line.matches("\\| [^|]*`" + scheme + ":.*"))
        .flatMap(line -> Stream.of(line.split("\\|")))
        .map(String::strip)
        .toList();
  }
}
