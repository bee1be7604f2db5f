package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every Java block of the documentation is a piece of code that the tests compile and run. */
class DocsSamplesTest {

  private static final Pattern COORDINATES =
      Pattern.compile(
          "<groupId>dev\\.holdfast</groupId>\\s*<artifactId>(.*?)</artifactId>"
              + "(?:\\s*<version>(.*?)</version>)?");

  /** As Gradle writes them. */
  private static final Pattern SHORT_COORDINATES =
      Pattern.compile("\"dev\\.holdfast:([^:\"]+)(?::([^\"]+))?\"");

  @Test
  void every_java_block_is_what_its_sample_says() {
    List<String> wrong = new ArrayList<>();
    for (CodeBlock block : blocks("java")) {
      String problem = problem(block);
      if (!problem.isEmpty()) {
        wrong.add(block.place() + ": " + problem);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void every_region_is_shown_somewhere() {
    Set<Sample> shown = new TreeSet<>(java.util.Comparator.comparing(Sample::toString));
    blocks("java").forEach(block -> shown.add(Sample.of(block.marker())));
    List<String> unused = new ArrayList<>();
    for (String className :
        List.of(
            "ApiSamplesTest",
            "ConstructsSamplesTest",
            "TestingYourCodeSamplesTest",
            "SqliteSamplesTest",
            "JdbcSamplesTest",
            "FirstLock",
            "FencedAccounts",
            "Worker",
            "Master",
            "Stock",
            "Newsletter",
            "Ledger",
            "RestartedJob",
            "Holdfasts",
            "CasLock",
            "CasTtlLock",
            "CasVersionLock",
            "MethodLockTable",
            "SetnxLock",
            "SetPxLock",
            "EphemeralNodeLock",
            "SequentialNodeLock",
            "UuidLock",
            "InOrderLock",
            "EtcdMutex")) {
      for (String region : Sample.regions(Repository.read(Repository.source(className)))) {
        if (!shown.contains(new Sample(className, region))) {
          unused.add(className + "#" + region);
        }
      }
    }
    assertThat(unused).isEmpty();
  }

  @Test
  void every_dependency_names_a_module_and_its_version() {
    String parent = Repository.read(Repository.root().resolve("pom.xml"));
    Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(parent);
    assertThat(version.find()).isTrue();
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Pattern> build :
        Map.of("xml", COORDINATES, "kotlin", SHORT_COORDINATES).entrySet()) {
      int checked = 0;
      for (CodeBlock block : blocks(build.getKey())) {
        Matcher coordinates = build.getValue().matcher(block.text());
        while (coordinates.find()) {
          boolean module = parent.contains(coordinates.group(1) + "</module>");
          String given = coordinates.group(2);
          if (!module || (given != null && !given.equals(version.group(1)))) {
            wrong.add(block.place() + ": " + coordinates.group());
          }
          checked++;
        }
      }
      assertThat(checked).as("dependencies in blocks of " + build.getKey()).isPositive();
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void a_block_without_a_marker_is_found() {
    CodeBlock block = only("text\n\n```java\nint a;\n```\n");
    assertThat(problem(block)).contains("needs a comment above it");
  }

  @Test
  void a_block_that_differs_from_its_sample_is_found() {
    CodeBlock block = only("<!-- sample: ApiSamplesTest#try -->\n```java\nint a;\n```\n");
    assertThat(problem(block)).contains("differs").contains("lock.tryAcquire()");
  }

  @Test
  void a_marker_holds_for_the_next_block_alone() {
    CodeBlock block = only("<!-- sample: X#y -->\n\nSome text.\n\n```java\nint a;\n```\n");
    assertThat(block.marker()).isEmpty();
  }

  @Test
  void a_sample_that_does_not_exist_is_found() {
    Sample sample = new Sample("ApiSamplesTest", "no-such");
    assertThatThrownBy(() -> sample.in("class A {}")).hasMessageContaining("no-such");
    assertThatThrownBy(() -> Repository.source("NoSuchClass"))
        .hasMessageContaining("NoSuchClass.java");
  }

  private static String problem(CodeBlock block) {
    try {
      Sample sample = Sample.of(block.marker());
      String expected = sample.in(Repository.read(Repository.source(sample.className())));
      return expected.equals(block.text().strip())
          ? ""
          : "differs from " + sample + ", which reads\n" + expected;
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static List<CodeBlock> blocks(String language) {
    List<CodeBlock> found = new ArrayList<>();
    for (Path document : Repository.documents()) {
      for (CodeBlock block : CodeBlock.of(Repository.name(document), Repository.read(document))) {
        if (block.language().equals(language)) {
          found.add(block);
        }
      }
    }
    assertThat(found).as("blocks of " + language).isNotEmpty();
    return found;
  }

  private static CodeBlock only(String markdown) {
    List<CodeBlock> blocks = CodeBlock.of("made-up.md", markdown);
    assertThat(blocks).hasSize(1);
    return blocks.get(0);
  }
}
