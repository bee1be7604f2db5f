package dev.holdfast.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds every source file of the repository to the style guide. */
class TidyTest {

  private static List<Source> sources;

  @BeforeAll
  static void read() {
    sources = Repository.sources();
  }

  @ParameterizedTest
  @EnumSource
  void the_repository_keeps(Rule rule) {
    assertThat(rule.findings(sources)).isEmpty();
  }

  @Test
  void all_modules_are_looked_at() {
    assertThat(sources)
        .extracting(Source::path)
        .contains(
            "pom.xml",
            "test",
            "holdfast",
            "holdfast-core/pom.xml",
            "holdfast-core/src/main/java/dev/holdfast/Holdfast.java",
            "holdfast-core/src/test/java/dev/holdfast/tidy/TidyTest.java")
        .noneMatch(path -> path.contains("target/"));
  }
}
