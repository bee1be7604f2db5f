package dev.holdfast.tidy;

import static java.util.regex.Pattern.compile;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The style guide, as far as a machine can read it. Every finding says what to do instead. */
enum Rule {
  NOTHING_IS_LEFT_UNFINISHED(
      each(
          source -> !source.path().endsWith(".md"),
          source ->
              source.found(
                  compile("\\b(TODO|FIXME|XXX)\\b"),
                  source.commented(),
                  "finish it, or open an issue and leave no mark"))),

  A_FILE_IS_AT_MOST_400_LINES(
      each(
          source -> source.isMain() && source.isJava() && source.lines() > Limits.of(source),
          source ->
              Stream.of(
                  source.path()
                      + ": "
                      + source.lines()
                      + " lines: past "
                      + Limits.of(source)
                      + " it is two files; split it by idea"))),

  // Otherwise the engine's packages could form a cycle, and a transition could call out.
  THE_STATE_MACHINE_DOES_NOT_KNOW_ITS_SHELL(
      each(
          source -> source.isMain() && source.folder().endsWith("dev/holdfast/engine/state"),
          source ->
              source.found(
                  compile(
                      "(?m)^import\\s+(?:static\\s+)?(?!java\\.|org\\.jspecify\\."
                          + "|dev\\.holdfast\\.(?:[A-Z]|spi\\.|engine\\.state\\.))[\\w.*]+"
                          + "|\\bdev\\.holdfast\\.engine\\.(?!state\\b)\\w+"),
                  source.code(),
                  "make it an effect, or leave it to the shell"))),

  // They use it; the other way round there would be a cycle.
  THE_ENGINE_DOES_NOT_KNOW_WHAT_IS_BUILT_ON_ITS_LOCKS(
      each(
          source -> source.isMain() && source.path().contains("dev/holdfast/engine/"),
          source ->
              source.found(
                  compile("\\bdev\\.holdfast\\.(?:multi|election)\\b"),
                  source.code(),
                  "make it an interface of the engine, such as Closing"))),

  A_TYPE_IS_NAMED_AFTER_WHAT_IT_IS(
      each(
          source -> source.isMain() && source.isJava(),
          source ->
              source.found(
                  compile(
                      "\\b(?:class|interface|enum|record)\\s+"
                          + "\\w*(?:Utils?|Helpers?|Managers?|Impl)(?![a-z])\\w*"),
                  source.code(),
                  "name it after the one thing it is or does"))),

  A_LIBRARY_DOES_NOT_PRINT(
      each(
          source -> source.isLibrary() && !Limits.PRINTS.containsKey(source.fileName()),
          source ->
              source.found(
                  compile("\\bSystem\\.(out|err)\\b|\\bprintStackTrace\\b"),
                  source.code(),
                  "use System.Logger, or tell the listener"))),

  A_TEST_DOES_NOT_SLEEP(
      each(
          source ->
              source.isTest() && source.isJava() && !Limits.SLEEPS.containsKey(source.fileName()),
          source ->
              source.found(
                  compile("\\b(?:Thread|TimeUnit\\s*\\.\\s*\\w+)\\s*\\.\\s*sleep\\b"),
                  source.code(),
                  "drive the ticker, or wait for a condition with Awaitility"))),

  // Where threads of users wait: not in the kit, whose tests may, nor in the command line.
  NOTHING_IS_SYNCHRONIZED(
      each(
          source -> source.isLibrary() && !source.path().startsWith("holdfast-testkit"),
          source ->
              source.found(
                  compile("\\bsynchronized\\b"),
                  source.code(),
                  "use a ReentrantLock: a monitor pins virtual threads"))),

  NO_TEST_IS_SKIPPED(
      each(
          Source::isJava,
          source ->
              source.found(
                  compile("@(?:Disabled|Ignore)\\w*|\\bAssum(?:e|ptions)\\b|\\bassume[A-Z]\\w*"),
                  source.code(),
                  "make it run everywhere, or leave it out and say so in docs/TESTING.md"))),

  // A base class of a foreign suite does not load without a mocking library; no test of ours uses
  // it.
  NOTHING_IS_MOCKED(
      each(
          source ->
              source.isJava()
                  || source.fileName().equals("pom.xml")
                      && !source.path().equals("foreign-suites/pom.xml"),
          source ->
              source.found(
                  compile("(?i)\\b(?:mockito|easymock|powermock|mockk)\\b"),
                  source.code(),
                  "use the memory store, a small store of your own, or the real server"))),

  NO_FILE_KNOWS_THE_MACHINE_IT_WAS_WRITTEN_ON(
      each(
          source -> true,
          source ->
              source.found(
                  compile(
                      "(?<![\\w.$}])/(?:work|home|root|Users)/[\\w.]|(?<![\\w.$}])/tmp/[\\w-]+/"),
                  source.text(),
                  "use a path relative to the root, or a temporary folder"))),

  NO_FILE_NAMES_A_REGISTRY(
      each(
          source -> true,
          source ->
              source.found(
                  compile(
                      "(?i)\\bhttps?://(?:[\\w-]+\\.)*(?:repo\\d?|registry[\\w-]*|mirrors?|nexus"
                          + "|artifactory|oss|central|plugins|deb|archive|security|ftp|pypi|npm)"
                          + "\\.[\\w.-]+|\\bpypi\\.org\\b|\\bdocker\\.io\\b"),
                  source.text(),
                  "leave it to the settings of whoever builds"))),

  A_PUBLIC_TYPE_HAS_JAVADOC(
      each(
          source ->
              source.isMain()
                  && source.isJava()
                  && (source.path().startsWith("holdfast-core/")
                      || source.path().startsWith("holdfast-testkit/")),
          Rule::withoutJavadoc)),

  A_TEST_IS_NAMED_BY_A_SENTENCE(each(Source::isJava, Rule::unlikeSentences)),

  A_TEST_IS_NAMED_IN_PLAIN_ENGLISH(each(Source::isJava, Rule::oddSentences)),

  A_PACKAGE_IS_NULL_MARKED(Rule::unmarkedPackages),

  NO_TWO_PACKAGES_NEED_EACH_OTHER(sources -> new Packages(sources).cycles()),

  A_PACKAGE_HAS_AT_MOST_25_FILES(sources -> new Packages(sources).tooLarge()),

  NO_STORE_NEEDS_ANOTHER(sources -> new Packages(sources).needsAnotherStore()),

  A_NAME_IS_A_WORD_OF_THE_VOCABULARY(each(Source::isJava, RetiredWords::findings)),

  PROSE_IS_PLAIN_ENGLISH(
      each(source -> !source.folder().endsWith("dev/holdfast/tidy"), English::findings)),

  // Only there it is half a sentence that reads as one.
  JAVADOC_RETURNS_WHETHER(
      each(
          source -> source.isJava() && !source.folder().endsWith("dev/holdfast/tidy"),
          source ->
              source.found(
                  compile("(?<!@return )\\bWhether\\b"),
                  source.prose(),
                  "use '@return whether …', or 'Returns whether …'"))),

  A_CELL_OF_GUARANTEES_HAS_AT_MOST_15_WORDS(
      each(source -> source.path().equals("docs/GUARANTEES.md"), Pages::longCells)),

  README_HAS_LESS_THAN_200_LINES(
      each(source -> source.path().equals("README.md"), Pages::longReadme));

  /** What is allowed, to whom, and why. */
  static final class Limits {
    static final int LINES = 400;

    // The transitions of one lock are one file.
    static final Map<String, Integer> LONGER =
        Map.of("holdfast-core/src/main/java/dev/holdfast/engine/state/Transitions.java", 700);

    static final Map<String, String> PRINTS =
        Map.of(
            "LockTaker.java", "a program that tests start and kill; they read what it prints",
            "MultiLockTaker.java", "another one",
            "BusyTaker.java", "and one more",
            "Simulate.java", "the command holdfast simulate",
            "Progress.java", "how far that command has come");

    static final Map<String, String> SLEEPS = Map.of();

    private Limits() {}

    static int of(Source source) {
      return LONGER.getOrDefault(source.path(), LINES);
    }
  }

  private static final Pattern PUBLIC_TYPE =
      compile(
          "(?m)^[ \\t]*(?:@[\\w.]+(?:\\([^()]*+\\))?\\s+)*"
              + "public\\s+(?:(?:static|final|abstract|sealed|non-sealed)\\s+)*"
              + "(?:class|interface|enum|record|@interface)\\s+(\\w+)");

  private static final Pattern TEST_METHOD =
      compile(
          "@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\\b"
              + "(?:\\s*\\((?:[^()]++|\\([^()]*+\\))*+\\))?"
              + "(?:\\s*@[\\w.]+(?:\\s*\\((?:[^()]++|\\([^()]*+\\))*+\\))?)*+"
              + "\\s*(?:(?:public|protected|private|final|static|abstract|default)\\s+)*"
              + "[\\w.]+(?:<[^()]*?>)?(?:\\[\\])?\\s+(\\w+)\\s*\\(");

  private static final Pattern SENTENCE = compile("[a-z][a-z0-9]*(?:_[a-z0-9]+)+");

  private final Function<List<Source>, Stream<String>> check;

  Rule(Function<List<Source>, Stream<String>> check) {
    this.check = check;
  }

  /** What breaks the rule, each with its place and what to do. */
  List<String> findings(List<Source> sources) {
    return check.apply(sources).toList();
  }

  private static Function<List<Source>, Stream<String>> each(
      Predicate<Source> applies, Function<Source, Stream<String>> check) {
    return sources -> sources.stream().filter(applies).flatMap(check);
  }

  private static Stream<String> withoutJavadoc(Source source) {
    return source
        .matcher(PUBLIC_TYPE)
        .results()
        .filter(type -> !endsWithJavadoc(source.text().substring(0, type.start())))
        .map(
            type ->
                source.at(type.start(1))
                    + ": "
                    + type.group(1)
                    + " has no Javadoc: say what it promises, what not, and its threads");
  }

  private static boolean endsWithJavadoc(String before) {
    String stripped = before.stripTrailing();
    return stripped.endsWith("*/")
        && stripped.lastIndexOf("/**") == stripped.lastIndexOf("/*")
        && stripped.lastIndexOf("/**") >= 0;
  }

  private static Stream<String> unlikeSentences(Source source) {
    return source
        .matcher(TEST_METHOD)
        .results()
        .filter(method -> !SENTENCE.matcher(method.group(1)).matches())
        .map(method -> unlikeSentence(source, method));
  }

  private static Stream<String> oddSentences(Source source) {
    return source
        .matcher(TEST_METHOD)
        .results()
        .flatMap(
            method ->
                English.better(method.group(1).replace('_', ' '))
                    .map(
                        better ->
                            source.at(method.start(1)) + ": " + method.group(1) + ": " + better));
  }

  private static String unlikeSentence(Source source, MatchResult method) {
    return source.at(method.start(1))
        + ": "
        + method.group(1)
        + ": name the test by a sentence_in_snake_case that states the promise";
  }

  private static Stream<String> unmarkedPackages(List<Source> sources) {
    List<Source> main =
        sources.stream()
            .filter(source -> source.isJava() && source.path().contains("src/main/java/"))
            .filter(source -> !source.fileName().equals("module-info.java"))
            .toList();
    Set<String> marked =
        main.stream()
            .filter(source -> source.fileName().equals("package-info.java"))
            .filter(source -> source.code().contains("@NullMarked"))
            .map(Source::folder)
            .collect(Collectors.toSet());
    return main.stream()
        .map(Source::folder)
        .distinct()
        .filter(folder -> !marked.contains(folder))
        .map(folder -> folder + ": add a package-info.java with @NullMarked");
  }
}
