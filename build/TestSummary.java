import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Prints what a test run came to, from Surefire's reports: stores, modules, failures, tests not run, totals.
 * Exits with 1 on any failure, when no test ran, and, under CI=true, when a test was not run.
 *
 * <pre>java TestSummary.java [--problem TEXT] [--not-run TEXT] [--no-newer-jdk] REPORT-DIRECTORY…</pre>
 *
 * Run from the project's root, by ./test. A problem is a failure outside the tests. --no-newer-jdk: nothing ran on
 * JDK 21 or newer, so tests that need one may be left out even under CI.
 */
class TestSummary {
  /** SqliteLockStoreContractIT and SqliteEngineContractIT speak for the store "sqlite". */
  static final Pattern STORE = Pattern.compile("([A-Z]\\w*?)(?:LockStore|Engine)\\w*?Contract(?:Test|IT)");

  /** One test in one run. The suite is the class that Surefire started; a nested test has another class. */
  record Result(String module, String jdk, Path report, String suite, String test, Outcome outcome, String why) {
    /** The same test on another JDK, and an argument of the same parameterized test, have the same name. */
    String name() {
      return module + " " + suite + " " + test.replaceFirst("\\[\\d+]$", "");
    }

    String shown() {
      String simple = suite.substring(suite.lastIndexOf('.') + 1);
      return module + " " + simple + "." + test + jdk;
    }
  }

  enum Outcome { PASSED, FAILED, SKIPPED }

  public static void main(String[] args) throws Exception {
    List<String> problems = new ArrayList<>();
    List<String> notRun = new ArrayList<>();
    List<Result> all = new ArrayList<>();
    boolean newerJdk = true;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--problem" -> problems.add(args[++i]);
        case "--not-run" -> notRun.add(args[++i]);
        case "--no-newer-jdk" -> newerJdk = false;
        default -> read(Path.of(args[i]), all, problems);
      }
    }

    // A test left out on one JDK but run on another has run.
    Set<String> ran = new HashSet<>();
    all.stream().filter(r -> r.outcome != Outcome.SKIPPED).forEach(r -> ran.add(r.name()));
    Set<String> seen = new HashSet<>();
    List<Result> results =
        all.stream()
            .filter(r -> r.outcome != Outcome.SKIPPED || (!ran.contains(r.name()) && seen.add(r.name())))
            .toList();
    if (ran.isEmpty()) {
      problems.add("no test ran");
    }

    printCounts("Stores", results, TestSummary::store);
    printCounts("Modules", results, r -> r.module);
    long failed = printFailures(results, problems);
    boolean mustRun = printNotRun(results, notRun, newerJdk);
    boolean ci = "true".equals(System.getenv("CI"));
    if (ci && mustRun) {
      System.out.println("\nUnder CI=true a test that is not run is a failure.");
    }
    System.out.printf(
        "%n%d passed, %d failed, %d skipped%n",
        count(results, Outcome.PASSED), failed, count(results, Outcome.SKIPPED) + notRun.size());
    System.exit(failed > 0 || (ci && mustRun) ? 1 : 0);
  }

  /** Reads MODULE/target/surefire-reports or, for a run on another JDK, …/surefire-reports-jdk25. */
  static void read(Path directory, List<Result> results, List<String> problems) throws Exception {
    String module = directory.resolve("../..").normalize().getFileName().toString();
    Matcher onJdk = Pattern.compile("-jdk(\\d+)$").matcher(directory.toString());
    String jdk = onJdk.find() ? " on JDK " + onJdk.group(1) : "";
    try (DirectoryStream<Path> reports = Files.newDirectoryStream(directory, "TEST-*.xml")) {
      for (Path report : reports) {
        try {
          Element suite =
              DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile()).getDocumentElement();
          NodeList cases = suite.getElementsByTagName("testcase");
          for (int i = 0; i < cases.getLength(); i++) {
            results.add(result(module, jdk, report, suite.getAttribute("name"), (Element) cases.item(i)));
          }
        } catch (org.xml.sax.SAXException e) {
          problems.add("unreadable report, its JVM may have been killed: " + report);
        }
      }
    }
  }

  static Result result(String module, String jdk, Path report, String suite, Element test) {
    String className = test.getAttribute("classname");
    int nested = className.indexOf('$');
    String name = (nested < 0 ? "" : className.substring(nested + 1) + ".") + test.getAttribute("name");
    Outcome outcome = Outcome.PASSED;
    String why = "";
    for (String tag : List.of("failure", "error", "skipped")) {
      if (test.getElementsByTagName(tag).item(0) instanceof Element bad) {
        outcome = tag.equals("skipped") ? Outcome.SKIPPED : Outcome.FAILED;
        why = bad.hasAttribute("message") ? bad.getAttribute("message") : bad.getTextContent();
      }
    }
    return new Result(module, jdk, report, suite, name, outcome, why.strip());
  }

  /** RedisClusterLockStoreContractIT gives "redis-cluster"; a test that is no store contract gives "". */
  static String store(Result result) {
    Matcher name = STORE.matcher(result.suite.substring(result.suite.lastIndexOf('.') + 1));
    return name.matches()
        ? name.group(1).replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase(Locale.ROOT)
        : "";
  }

  static void printCounts(
      String title, List<Result> results, java.util.function.Function<Result, String> group) {
    Map<String, Map<String, List<Result>>> groups = new TreeMap<>();
    for (Result result : results) {
      groups
          .computeIfAbsent(group.apply(result), name -> new TreeMap<>())
          .computeIfAbsent(result.jdk, jdk -> new ArrayList<>())
          .add(result);
    }
    groups.remove("");
    if (groups.isEmpty()) {
      return;
    }
    System.out.println("\n" + title);
    groups.forEach(
        (name, byJdk) -> {
          List<String> parts = new ArrayList<>();
          byJdk.forEach((jdk, some) -> parts.add(counts(some) + jdk));
          System.out.printf("  %-18s %s%n", name, String.join("; ", parts));
        });
  }

  static String counts(List<Result> results) {
    Map<Outcome, String> words = new LinkedHashMap<>();
    words.put(Outcome.PASSED, " passed");
    words.put(Outcome.FAILED, " FAILED");
    words.put(Outcome.SKIPPED, " not run");
    List<String> parts = new ArrayList<>();
    words.forEach(
        (outcome, word) -> {
          long n = count(results, outcome);
          if (n > 0 || outcome == Outcome.PASSED) {
            parts.add(n + word);
          }
        });
    return String.join(", ", parts);
  }

  static long count(List<Result> results, Outcome outcome) {
    return results.stream().filter(r -> r.outcome == outcome).count();
  }

  static long printFailures(List<Result> results, List<String> problems) {
    List<Result> failures = results.stream().filter(r -> r.outcome == Outcome.FAILED).toList();
    if (failures.size() + problems.size() > 0) {
      System.out.println("\nFailed");
      problems.forEach(problem -> System.out.println("  " + problem));
      for (Result failure : failures) {
        System.out.println("  " + failure.shown());
        failure.why.lines().limit(4).forEach(line -> System.out.println("      " + line));
        System.out.println("      stack trace: " + failure.report.resolveSibling(failure.suite + ".txt"));
        Path output = failure.report.resolveSibling(failure.suite + "-output.txt");
        if (Files.exists(output) && output.toFile().length() > 0) {
          System.out.println("      output:      " + output);
        }
      }
    }
    return failures.size() + problems.size();
  }

  /** Returns whether something was left out that CI insists on. */
  static boolean printNotRun(List<Result> results, List<String> others, boolean newerJdk) {
    List<Result> skipped = results.stream().filter(r -> r.outcome == Outcome.SKIPPED).toList();
    if (skipped.size() + others.size() > 0 || !newerJdk) {
      System.out.println("\nNot run");
    }
    others.forEach(other -> System.out.println("  not run: " + other));
    if (!newerJdk) {
      System.out.println("  not run: JDK >= 21 tests");
    }
    boolean mustRun = !others.isEmpty();
    for (Result result : skipped) {
      String why = result.why.lines().findFirst().orElse("");
      System.out.println("  not run: " + result.shown() + (why.isEmpty() ? "" : " (" + why + ")"));
      mustRun |= newerJdk || !why.startsWith("Disabled on JRE version");
    }
    return mustRun;
  }
}
