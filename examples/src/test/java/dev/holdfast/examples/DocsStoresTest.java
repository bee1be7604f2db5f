package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.Holdfast;
import dev.holdfast.Traits;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's store table says what the stores say of themselves. */
class DocsStoresTest {

  @TempDir Path directory;

  @Test
  void the_row_of_memory_is_true() {
    assertThat(row("`memory:`")).containsSubsequence(cells("memory:"));
  }

  @Test
  void the_row_of_sqlite_is_true() {
    assertThat(row("`sqlite:PATH`"))
        .containsSubsequence(cells("sqlite:" + directory.resolve("locks.db")));
  }

  private static List<String> cells(String url) {
    try (Holdfast locks = Holdfast.connect(url)) {
      Traits traits = locks.traits();
      return List.of(
          traits.spansProcesses() ? "processes of one host" : "threads of one process",
          traits.consistency() == Consistency.LINEARIZABLE ? "linearizable" : "best effort",
          traits.durable() ? "yes" : "no",
          traits.fair() ? "yes" : "no",
          traits.pushes() ? "pushed" : "polled");
    }
  }

  private static List<String> row(String url) {
    return Repository.read(Repository.root().resolve("README.md"))
        .lines()
        .filter(line -> line.startsWith("| " + url))
        .flatMap(line -> Stream.of(line.split("\\|")))
        .map(String::strip)
        .toList();
  }
}
