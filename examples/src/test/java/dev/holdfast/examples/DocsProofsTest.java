package dev.holdfast.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.promise.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What Guarantees names as proof exists, and each promise of the checker is named there. */
class DocsProofsTest {

  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  @Test
  void each_property_of_the_specification_is_defined_there() throws IOException {
    String modules = text(Repository.root().resolve("spec"), ".tla");

    assertThat(names(2)).isNotEmpty().allMatch(name -> modules.contains("\n" + name + " =="));
  }

  @Test
  void the_promises_are_those_of_the_checker() throws IOException {
    assertThat(names(3))
        .containsExactlyInAnyOrderElementsOf(
            EnumSet.allOf(Promise.class).stream().map(Promise::name).toList());
  }

  @Test
  void each_group_of_rules_is_in_the_kit() throws IOException {
    Set<String> rules;
    try (Stream<Path> files =
        Files.walk(Repository.root().resolve("holdfast-testkit/src/main/java"))) {
      rules =
          files
              .map(file -> file.getFileName().toString().replace(".java", ""))
              .collect(Collectors.toSet());
    }

    assertThat(names(4)).isNotEmpty().isSubsetOf(rules);
  }

  @Test
  void the_columns_of_torture_are_those_of_its_table() throws IOException {
    String page = Files.readString(Repository.root().resolve("docs/TESTING.md"), UTF_8);
    String head =
        page.lines()
            .filter(line -> line.startsWith("| store | minutes |"))
            .findFirst()
            .orElseThrow();

    assertThat(cells(5).map(String::strip).filter(cell -> !cell.isEmpty()).skip(1))
        .isNotEmpty()
        .allMatch(head::contains);
  }

  @Test
  void each_line_in_short_has_its_proof() throws IOException {
    String page = Files.readString(Repository.root().resolve("docs/GUARANTEES.md"), UTF_8);

    assertThat(lines(page, "## In short"))
        .isNotEmpty()
        .isSubsetOf(lines(page, "### What proves it"));
  }

  /** What the lines of a section's table are about. */
  private static List<String> lines(String page, String heading) {
    return page.split(heading + "\n")[1]
        .split("\n#")[0]
        .lines()
        .filter(line -> line.matches("\\| [A-Z].*"))
        .map(line -> line.split("\\|", -1)[1].strip())
        .toList();
  }

  /** The names in a column of the table. */
  private static List<String> names(int column) throws IOException {
    List<String> names = new ArrayList<>();
    cells(column)
        .forEach(
            cell -> {
              Matcher name = NAME.matcher(cell);
              while (name.find()) {
                names.add(name.group(1));
              }
            });
    return names;
  }

  /** The cells of a column, its head among them. */
  private static Stream<String> cells(int column) throws IOException {
    String page = Files.readString(Repository.root().resolve("docs/GUARANTEES.md"), UTF_8);
    String section = page.split("### What proves it\n")[1].split("\n#")[0];
    return section
        .lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| ---"))
        .map(line -> line.split("\\|", -1)[column]);
  }

  private static String text(Path folder, String ending) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(ending)).toList()) {
        text.append(Files.readString(file, UTF_8));
      }
    }
    return text.toString();
  }
}
