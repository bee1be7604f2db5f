package dev.holdfast.torture.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table in docs/TESTING.md has the form of the one that the command writes. */
class TableTest {

  private static final Path PAGE = Path.of("..", "docs", "TESTING.md");

  @Test
  void the_documented_table_has_its_head() throws Exception {
    assertThat(Files.readString(PAGE)).contains(Table.of(List.of()));
  }
}
