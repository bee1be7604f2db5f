package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A bug that was found is kept out by a test that exists: see docs/TESTING.md. */
class DocsBugsTest {

  private static final Pattern ROW = Pattern.compile("\\| \\d+ \\| ([^|]*) \\|.*");
  private static final Pattern NAME = Pattern.compile("`(\\w+)(?:\\.[A-Z]\\w*)?(?:\\.(\\w+))?`");

  @Test
  void every_bug_names_a_test_that_exists() {
    String sources = String.join("\n", allSources());
    List<String> wrong = new ArrayList<>();
    int rows = 0;
    for (String line : Repository.read(testing()).lines().toList()) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows++;
        if (!exists(row.group(1), sources)) {
          wrong.add(row.group(1));
        }
      }
    }
    assertThat(rows).isPositive();
    assertThat(wrong).isEmpty();
  }

  @Test
  void a_test_that_does_not_exist_is_found() {
    String sources = "class A { void it_works() {} }";
    assertThat(exists("`A.it_works`", sources)).isTrue();
    assertThat(exists("`A.Nested.it_works`, on a Sunday", sources)).isTrue();
    assertThat(exists("`B.it_works`", sources)).isFalse();
    assertThat(exists("`A.it_sleeps`", sources)).isFalse();
    assertThat(exists("somebody", sources)).isFalse();
  }

  private static boolean exists(String foundBy, String sources) {
    Matcher name = NAME.matcher(foundBy);
    return name.find()
        && sources.contains("class " + name.group(1) + " ")
        && (name.group(2) == null || sources.contains("void " + name.group(2) + "("));
  }

  private static Path testing() {
    return Repository.root().resolve("docs/TESTING.md");
  }

  private static List<String> allSources() {
    return Repository.sources().stream().map(Repository::read).toList();
  }
}
