package dev.holdfast.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule of the style guide is broken on purpose, so that none of them sleeps. */
class TidySelfTest {

  private static final String CORE = "holdfast-core/src/main/java/dev/holdfast/";
  private static final String CORE_TEST = "holdfast-core/src/test/java/dev/holdfast/";
  private static final String CLI = "holdfast-cli/src/main/java/dev/holdfast/cli/";
  private static final String STATE = CORE + "engine/state/";
  private static final String LIMIT = "  int a;\n".repeat(400);

  record Snippet(Rule rule, List<Source> sources) {
    Snippet(Rule rule, String path, String text) {
      this(rule, List.of(Source.of(path, text)));
    }

    List<String> findings() {
      return rule.findings(sources);
    }

    String folder() {
      return sources.get(0).folder();
    }
  }

  static Stream<Snippet> broken() {
    return Stream.concat(brokenCode(), WordingSnippets.broken());
  }

  static Stream<Snippet> kept() {
    return Stream.concat(keptCode(), WordingSnippets.kept());
  }

  private static Stream<Snippet> brokenCode() {
    return Stream.of(
        new Snippet(Rule.NOTHING_IS_LEFT_UNFINISHED, CORE + "A.java", "// TO" + "DO later"),
        new Snippet(
            Rule.NOTHING_IS_LEFT_UNFINISHED, CORE + "A.java", "/* FIX" + "ME */ class A {}"),
        new Snippet(Rule.NOTHING_IS_LEFT_UNFINISHED, "build/x.sh", "# XX" + "X not yet"),
        new Snippet(Rule.A_FILE_IS_AT_MOST_400_LINES, CORE + "A.java", LIMIT + "  int b;\n"),
        new Snippet(
            Rule.A_FILE_IS_AT_MOST_400_LINES, CORE + "Transitions.java", LIMIT + "  int b;\n"),
        new Snippet(
            Rule.A_FILE_IS_AT_MOST_400_LINES, STATE + "Transitions.java", "  int a;\n".repeat(701)),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            STATE + "A.java",
            "import java.util.List;\nimport dev.holdfast.engine.LockShell;\n"),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            STATE + "A.java",
            "import static dev.holdfast.engine.Inbox.handle;\n"),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            STATE + "A.java",
            "import dev.holdfast.memory.MemoryLockStore;\n"),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            STATE + "A.java",
            "class A { dev.holdfast.engine.Locks locks; }"),
        new Snippet(
            Rule.THE_ENGINE_DOES_NOT_KNOW_WHAT_IS_BUILT_ON_ITS_LOCKS,
            CORE + "engine/A.java",
            "import dev.holdfast.election.Candidate;\n"),
        new Snippet(
            Rule.THE_ENGINE_DOES_NOT_KNOW_WHAT_IS_BUILT_ON_ITS_LOCKS,
            STATE + "A.java",
            "class A { dev.holdfast.multi.JointLease lease; }"),
        new Snippet(
            Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS, CORE + "A.java", "final class LockUtil {"),
        new Snippet(Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS, CORE + "A.java", "enum StringUtils {"),
        new Snippet(Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS, CLI + "A.java", "record RunHelper() {"),
        new Snippet(
            Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS, CORE + "A.java", "interface LockManager {"),
        new Snippet(Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS, CORE + "A.java", "class LockImpl<T> {"),
        new Snippet(Rule.A_LIBRARY_DOES_NOT_PRINT, CORE + "A.java", "System.out.println(1);"),
        new Snippet(
            Rule.A_LIBRARY_DOES_NOT_PRINT, "stores/x/src/main/java/A.java", "System.err.flush();"),
        new Snippet(Rule.A_LIBRARY_DOES_NOT_PRINT, CORE + "A.java", "e.printStackTrace();"),
        new Snippet(Rule.A_TEST_DOES_NOT_SLEEP, CORE_TEST + "ATest.java", "Thread.sleep(10);"),
        new Snippet(
            Rule.A_TEST_DOES_NOT_SLEEP, CORE_TEST + "ATest.java", "TimeUnit.DAYS.sleep(1);"),
        new Snippet(
            Rule.A_TEST_DOES_NOT_SLEEP,
            "holdfast-testkit/src/main/java/A.java",
            "Thread.sleep(1);"),
        new Snippet(Rule.NOTHING_IS_SYNCHRONIZED, CORE + "A.java", "synchronized (this) {}"),
        new Snippet(
            Rule.NOTHING_IS_SYNCHRONIZED,
            "stores/holdfast-jdbc/src/main/java/A.java",
            "public synchronized void a() {}"),
        new Snippet(
            Rule.NO_TEST_IS_SKIPPED, CORE_TEST + "ATest.java", "@Disabled @Test void a_b() {}"),
        new Snippet(Rule.NO_TEST_IS_SKIPPED, CORE_TEST + "ATest.java", "@DisabledOnOs(LINUX)"),
        new Snippet(Rule.NO_TEST_IS_SKIPPED, CORE_TEST + "ATest.java", "Assumptions.abort();"),
        new Snippet(Rule.NO_TEST_IS_SKIPPED, CORE_TEST + "ATest.java", "assumeTrue(isLinux());"),
        new Snippet(Rule.NOTHING_IS_MOCKED, CORE_TEST + "ATest.java", "import org.mockito.Mock;"),
        new Snippet(Rule.NOTHING_IS_MOCKED, "pom.xml", "<artifactId>mockito-core</artifactId>"),
        new Snippet(
            Rule.NO_FILE_KNOWS_THE_MACHINE_IT_WAS_WRITTEN_ON, "docs/A.md", "see /wor" + "k/main"),
        new Snippet(
            Rule.NO_FILE_KNOWS_THE_MACHINE_IT_WAS_WRITTEN_ON, "test", "cd \"/hom" + "e/me\""),
        new Snippet(
            Rule.NO_FILE_KNOWS_THE_MACHINE_IT_WAS_WRITTEN_ON,
            CORE + "A.java",
            "\"/tmp/my" + "-clone/x\""),
        new Snippet(
            Rule.NO_FILE_NAMES_A_REGISTRY,
            "pom.xml",
            "<url>https://re" + "po.example.com/maven</url>"),
        new Snippet(Rule.NO_FILE_NAMES_A_REGISTRY, "test", "curl http://d" + "eb.example.org/pool"),
        new Snippet(
            Rule.NO_FILE_NAMES_A_REGISTRY,
            "docs/A.md",
            "https://my.arti" + "factory.example.com/x"),
        new Snippet(
            Rule.A_PUBLIC_TYPE_HAS_JAVADOC,
            CORE + "A.java",
            "package a;\n\npublic final class A {}"),
        new Snippet(
            Rule.A_PUBLIC_TYPE_HAS_JAVADOC, CORE + "A.java", "/* plain */\npublic interface A {}"),
        new Snippet(
            Rule.A_PUBLIC_TYPE_HAS_JAVADOC,
            CORE + "A.java",
            "/** A. */\npublic class A {\n  public enum B {}\n}"),
        new Snippet(
            Rule.A_PUBLIC_TYPE_HAS_JAVADOC,
            CORE + "A.java",
            "@FunctionalInterface\npublic interface A {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_BY_A_SENTENCE,
            CORE_TEST + "ATest.java",
            "@Test void releasesTheLock() {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_BY_A_SENTENCE,
            CORE_TEST + "ATest.java",
            "@Test\n  void release() throws E {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_BY_A_SENTENCE,
            CORE_TEST + "ATest.java",
            "@ParameterizedTest\n@ValueSource(ints = {1, 2})\nvoid testIt(int i) {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_BY_A_SENTENCE,
            CORE_TEST + "ATest.java",
            "@TestFactory\nStream<DynamicTest> makesTests() {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_IN_PLAIN_ENGLISH,
            CORE_TEST + "ATest.java",
            "@Test void whoever_comes_late_waits() {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_IN_PLAIN_ENGLISH,
            CORE_TEST + "ATest.java",
            "@Test\n  void a_loss_is_told_at_once() {}"),
        new Snippet(Rule.A_PACKAGE_IS_NULL_MARKED, CORE + "A.java", "package dev.holdfast;"),
        new Snippet(
            Rule.A_PACKAGE_IS_NULL_MARKED, CORE + "package-info.java", "package dev.holdfast;"));
  }

  private static Stream<Snippet> keptCode() {
    return Stream.of(
        new Snippet(Rule.NOTHING_IS_LEFT_UNFINISHED, CORE + "A.java", "String s = \"TO" + "DO\";"),
        new Snippet(Rule.A_FILE_IS_AT_MOST_400_LINES, CORE + "A.java", LIMIT),
        new Snippet(
            Rule.A_FILE_IS_AT_MOST_400_LINES, STATE + "Transitions.java", "  int a;\n".repeat(700)),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            STATE + "A.java",
            String.join(
                "\n",
                "package dev.holdfast.engine.state;",
                "import dev.holdfast.LockEvent.Type;",
                "import dev.holdfast.engine.state.Tenure.Phase;",
                "import dev.holdfast.spi.Claim;",
                "import java.util.List;",
                "import org.jspecify.annotations.Nullable;",
                "/** Fed by dev.holdfast.engine.LockShell. */",
                "")),
        new Snippet(
            Rule.THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL,
            CORE + "engine/A.java",
            "import dev.holdfast.engine.state.Effects;\nimport dev.holdfast.memory.MemoryQueue;\n"),
        new Snippet(
            Rule.THE_ENGINE_DOES_NOT_KNOW_WHAT_IS_BUILT_ON_ITS_LOCKS,
            CORE + "multi/A.java",
            "import dev.holdfast.engine.Engine;\nimport dev.holdfast.multi.JointLease;\n"),
        new Snippet(Rule.A_FILE_IS_AT_MOST_400_LINES, CORE_TEST + "ATest.java", LIMIT + LIMIT),
        new Snippet(
            Rule.A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS,
            CORE + "A.java",
            "class Implication { Simple managed; }"),
        new Snippet(Rule.A_LIBRARY_DOES_NOT_PRINT, CLI + "A.java", "System.out.println(1);"),
        new Snippet(
            Rule.A_LIBRARY_DOES_NOT_PRINT,
            "holdfast-testkit/src/main/java/LockTaker.java",
            "System.out.println(1);"),
        new Snippet(
            Rule.A_LIBRARY_DOES_NOT_PRINT, CORE + "A.java", "// System.out would be wrong here"),
        new Snippet(Rule.A_TEST_DOES_NOT_SLEEP, CLI + "A.java", "Thread.sleep(10);"),
        new Snippet(Rule.NOTHING_IS_SYNCHRONIZED, CLI + "A.java", "synchronized (this) {}"),
        new Snippet(
            Rule.NOTHING_IS_SYNCHRONIZED,
            CORE + "A.java",
            "// not synchronized\nString s = \"synchronized\";"),
        new Snippet(
            Rule.NO_TEST_IS_SKIPPED, CORE_TEST + "ATest.java", "boolean assumed; // @Disabled\n"),
        new Snippet(Rule.NOTHING_IS_MOCKED, CORE_TEST + "ATest.java", "class MockingbirdTest {}"),
        new Snippet(
            Rule.NO_FILE_KNOWS_THE_MACHINE_IT_WAS_WRITTEN_ON,
            "docs/A.md",
            "a/work/b $HOME/x ~/home/"),
        new Snippet(Rule.NO_FILE_NAMES_A_REGISTRY, "pom.xml", "http://maven.apache.org/POM/4.0.0"),
        new Snippet(
            Rule.A_PUBLIC_TYPE_HAS_JAVADOC,
            CORE + "A.java",
            "/** A. */\n@Deprecated\npublic final class A {}"),
        new Snippet(Rule.A_PUBLIC_TYPE_HAS_JAVADOC, CORE + "A.java", "final class A {}"),
        new Snippet(Rule.A_PUBLIC_TYPE_HAS_JAVADOC, CLI + "A.java", "public final class A {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_BY_A_SENTENCE,
            CORE_TEST + "ATest.java",
            "@Test void one_of_2_wins() {}\nvoid helpsIt() {}"),
        new Snippet(
            Rule.A_TEST_IS_NAMED_IN_PLAIN_ENGLISH,
            CORE_TEST + "ATest.java",
            "@Test void a_loss_is_reported() {}\nvoid is_told() {}"),
        new Snippet(
            Rule.A_PACKAGE_IS_NULL_MARKED,
            CORE + "package-info.java",
            "@NullMarked\npackage dev.holdfast;"),
        new Snippet(Rule.A_PACKAGE_IS_NULL_MARKED, CORE_TEST + "A.java", "package dev.holdfast;"));
  }

  @ParameterizedTest
  @MethodSource("broken")
  void what_breaks_a_rule_is_found_with_its_place(Snippet snippet) {
    assertThat(snippet.findings())
        .hasSize(1)
        .allMatch(finding -> finding.startsWith(snippet.folder()));
  }

  @ParameterizedTest
  @MethodSource("broken")
  void a_finding_says_what_to_do_instead(Snippet snippet) {
    assertThat(snippet.findings())
        .allMatch(
            finding ->
                Stream.of("use", "name", "finish", "split", "make", "leave", "say", "add", "drive")
                    .anyMatch(finding.substring(finding.indexOf(": "))::contains));
  }

  @ParameterizedTest
  @MethodSource("kept")
  void what_keeps_a_rule_is_left_alone(Snippet snippet) {
    assertThat(snippet.findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void no_rule_goes_unbroken_here(Rule rule) {
    assertThat(broken()).anyMatch(snippet -> snippet.rule() == rule);
  }

  @Test
  void a_finding_names_the_line() {
    Snippet snippet =
        new Snippet(Rule.A_LIBRARY_DOES_NOT_PRINT, CORE + "A.java", "\n\nSystem.out.flush();");
    assertThat(snippet.findings())
        .containsExactly(CORE + "A.java:3: 'System.out': use System.Logger, or tell the listener");
  }

  @Test
  void quotes_and_comments_are_distinguished_from_code() {
    String text =
        String.join(
            "\n",
            "int a = '\"'; // \" one",
            "String b = \"// two \\\" \";",
            "String c = \"\"\"",
            "    \" three */",
            "    \"\"\";",
            "/* \"four\" */ int d;");
    Source source = Source.of("A.java", text);
    List<String> words = new ArrayList<>(List.of("one", "two", "three", "four"));
    assertThat(words).noneMatch(source.code()::contains);
    assertThat(source.code())
        .contains("int a", "String b", "String c", "int d")
        .hasSameSizeAs(text);
    assertThat(source.commented()).contains("one", "four").doesNotContain("two", "three");
  }
}
