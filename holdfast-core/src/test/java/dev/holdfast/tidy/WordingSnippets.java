package dev.holdfast.tidy;

import static dev.holdfast.tidy.Rule.A_CELL_OF_GUARANTEES_HAS_AT_MOST_15_WORDS;
import static dev.holdfast.tidy.Rule.A_NAME_IS_A_WORD_OF_THE_VOCABULARY;
import static dev.holdfast.tidy.Rule.A_PACKAGE_HAS_AT_MOST_25_FILES;
import static dev.holdfast.tidy.Rule.JAVADOC_RETURNS_WHETHER;
import static dev.holdfast.tidy.Rule.NO_STORE_NEEDS_ANOTHER;
import static dev.holdfast.tidy.Rule.NO_TWO_PACKAGES_NEED_EACH_OTHER;
import static dev.holdfast.tidy.Rule.PROSE_IS_PLAIN_ENGLISH;
import static dev.holdfast.tidy.Rule.README_HAS_LESS_THAN_200_LINES;

import dev.holdfast.tidy.TidySelfTest.Snippet;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What breaks and what keeps the rules about packages, names, prose and pages. */
final class WordingSnippets {

  private static final String CORE = "holdfast-core/src/main/java/dev/holdfast/";
  private static final String ETCD = "stores/holdfast-etcd/src/main/java/dev/holdfast/etcd/";
  private static final String ETCD_TEST = "stores/holdfast-etcd/src/test/java/dev/holdfast/etcd/";
  private static final String CONSUL = "stores/holdfast-consul/src/main/java/dev/holdfast/consul/";
  private static final String JDBC = "stores/holdfast-jdbc/src/main/java/dev/holdfast/jdbc/";

  private WordingSnippets() {}

  static Stream<Snippet> broken() {
    return Stream.of(
            Stream.of(
                new Snippet(
                    NO_TWO_PACKAGES_NEED_EACH_OTHER,
                    List.of(
                        Source.of(ETCD + "A.java", "import dev.holdfast.etcd.lease.B;"),
                        Source.of(ETCD + "lease/B.java", "dev.holdfast.etcd.A a;"))),
                new Snippet(
                    NO_TWO_PACKAGES_NEED_EACH_OTHER,
                    List.of(
                        Source.of(CORE + "a/A.java", "import dev.holdfast.b.B;"),
                        Source.of(CORE + "b/B.java", "import dev.holdfast.c.C;"),
                        Source.of(CORE + "c/C.java", "import static dev.holdfast.a.A.a;"))),
                new Snippet(A_PACKAGE_HAS_AT_MOST_25_FILES, files(ETCD, 26)),
                new Snippet(A_PACKAGE_HAS_AT_MOST_25_FILES, files(CORE, Packages.API_FILES + 1)),
                new Snippet(
                    NO_STORE_NEEDS_ANOTHER,
                    List.of(
                        Source.of(ETCD + "A.java", "import dev.holdfast.consul.B;"),
                        Source.of(CONSUL + "B.java", "class B {}"))),
                new Snippet(
                    A_CELL_OF_GUARANTEES_HAS_AT_MOST_15_WORDS,
                    "docs/GUARANTEES.md",
                    "| a | " + "word ".repeat(16) + " |"),
                new Snippet(README_HAS_LESS_THAN_200_LINES, "README.md", "a\n".repeat(200)),
                new Snippet(
                    JAVADOC_RETURNS_WHETHER, CORE + "A.java", "/** Whether it is so. */\nint a;"),
                new Snippet(
                    JAVADOC_RETURNS_WHETHER,
                    CORE + "A.java",
                    "/**\n * Asks. Whether it is so.\n */\nint a;")),
            names(ETCD, "class Roll", "record Entry", "enum Grants", "interface Joining"),
            names(ETCD, "class Graveyard", "class Hint", "class Slots", "class Succession"),
            names(ETCD_TEST, "class RollTest", "class TurnstileTest", "class StraysIT"),
            names(JDBC, "class Session", "class LockQueue", "class Listing", "class Manners"),
            names(CORE + "memory/", "class MemoryQueue", "class Shared"),
            names(CORE + "engine/", "class Lookout"),
            names(ETCD, "class A { void told() {} }", "class A { int letIn(int a) { } }"),
            names(ETCD, "class A { void turnAway(Claim claim) throws B { } }"),
            names(CORE + "engine/", "interface A { boolean isHeardOf(); }"),
            prose(
                "Whoever comes first.", "Who comes first, waits.", "let somebody who may", "anew"),
            prose(
                "so many claims", "so long it waits", "wait till then", "by when", "was heard of"),
            prose("it is told", "a thread of its own", "lets the next one in", "turned it away"),
            prose("Any threads.", "strange answer", "the how manieth", "coming and going"),
            prose("came late, did not come to its turn", "bad news", "is no host", "in a vigil"),
            prose("cannot keep a lock", "Left out of the list", "the burial"),
            Stream.of(
                new Snippet(
                    PROSE_IS_PLAIN_ENGLISH, CORE + "A.java", "/**\n * By so\n * many.\n */"),
                new Snippet(PROSE_IS_PLAIN_ENGLISH, CORE + "A.java", "m(\"it is \"\n + \"told\");"),
                new Snippet(PROSE_IS_PLAIN_ENGLISH, ETCD + "join.lua", "-- enters anew")))
        .flatMap(snippets -> snippets);
  }

  static Stream<Snippet> kept() {
    return Stream.of(
        new Snippet(
            NO_TWO_PACKAGES_NEED_EACH_OTHER,
            List.of(
                Source.of(CORE + "Holdfast.java", "import dev.holdfast.engine.Engine;"),
                Source.of(CORE + "engine/Engine.java", "import dev.holdfast.Lease;"))),
        new Snippet(
            NO_TWO_PACKAGES_NEED_EACH_OTHER,
            List.of(
                Source.of(ETCD + "A.java", "import dev.holdfast.etcd.lease.B;"),
                Source.of(ETCD + "lease/B.java", "/** For dev.holdfast.etcd.A. */"))),
        new Snippet(A_PACKAGE_HAS_AT_MOST_25_FILES, files(ETCD, 25)),
        new Snippet(A_PACKAGE_HAS_AT_MOST_25_FILES, files(ETCD_TEST, 26)),
        new Snippet(
            NO_STORE_NEEDS_ANOTHER,
            List.of(
                Source.of(ETCD + "A.java", "import dev.holdfast.etcd.lease.B;"),
                Source.of(ETCD + "lease/B.java", "import dev.holdfast.spi.Claim;"))),
        new Snippet(
            A_NAME_IS_A_WORD_OF_THE_VOCABULARY,
            ETCD_TEST + "A.java",
            "@Nested\nclass Joining {}\nint a = b.told();"),
        new Snippet(
            A_NAME_IS_A_WORD_OF_THE_VOCABULARY, CONSUL + "Session.java", "class Session {}"),
        new Snippet(
            A_NAME_IS_A_WORD_OF_THE_VOCABULARY,
            "holdfast-http/src/main/java/A.java",
            "class Gate {}"),
        new Snippet(
            PROSE_IS_PLAIN_ENGLISH,
            CORE + "A.java",
            "/** Who holds it? As long as so long as. Lets nobody write in between. */\nint till;"),
        new Snippet(
            JAVADOC_RETURNS_WHETHER,
            CORE + "A.java",
            "/**\n * Asks whether it is so.\n *\n * @return Whether it is.\n */"),
        new Snippet(
            A_CELL_OF_GUARANTEES_HAS_AT_MOST_15_WORDS,
            "docs/GUARANTEES.md",
            "| a | " + "word ".repeat(15) + "|\n" + "word ".repeat(30)),
        new Snippet(README_HAS_LESS_THAN_200_LINES, "README.md", "a\n".repeat(199)));
  }

  private static List<Source> files(String folder, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Source.of(folder + "A" + i + ".java", "class A" + i + " {}"))
        .toList();
  }

  private static Stream<Snippet> names(String folder, String... declarations) {
    return Arrays.stream(declarations)
        .map(text -> new Snippet(A_NAME_IS_A_WORD_OF_THE_VOCABULARY, folder + "A.java", text));
  }

  private static Stream<Snippet> prose(String... texts) {
    return Arrays.stream(texts)
        .map(text -> new Snippet(PROSE_IS_PLAIN_ENGLISH, CORE + "A.java", "// " + text + "\n"));
  }
}
