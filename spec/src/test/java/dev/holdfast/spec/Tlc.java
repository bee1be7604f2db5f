package dev.holdfast.spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The model checker, in a process for each run, because it keeps its state in static fields. With
 * one worker it looks at the states in the order of their depth, so a trace is one of the shortest
 * and the figures are the same each time. Thread-safe.
 */
final class Tlc {

  private static final Path SPECIFICATION = Path.of("").toAbsolutePath();
  private static final Path OUTPUT = SPECIFICATION.resolve("target/spec");
  private static final Pattern STATES =
      Pattern.compile("(\\d+) states generated, (\\d+) distinct states found, (\\d+) states left");
  private static final Pattern DEPTH =
      Pattern.compile("depth of the complete state graph search is (\\d+)");
  private static final Pattern VIOLATED =
      Pattern.compile("Error: (?:Invariant|Action property) (\\w+) is violated");

  /**
   * What came of it.
   *
   * @param violated the property, or what else TLC complained about; empty if all hold
   * @param left states that were found but not looked at
   * @param output all that it said
   */
  record Outcome(
      Check check,
      String violated,
      long generated,
      long distinct,
      long left,
      long depth,
      double seconds,
      Path output) {

    String row() {
      String result = violated.isEmpty() ? "holds" : "refuted by " + violated;
      return "%-36s %,10d %,10d %4s %7.1f s  %s"
          .formatted(check, distinct, generated, depth < 0 ? "-" : depth, seconds, result);
    }
  }

  private Tlc() {}

  static Outcome run(Check check) throws IOException, InterruptedException {
    Path folder =
        Files.createDirectories(OUTPUT.resolve(check.toString().replaceAll("[^\\w-]+", "-")));
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(SPECIFICATION, "*.tla")) {
      for (Path module : modules) {
        Files.writeString(folder.resolve(module.getFileName()), Files.readString(module));
      }
    }
    String file = Files.readString(SPECIFICATION.resolve(check.configuration() + ".cfg"));
    Files.writeString(folder.resolve("check.cfg"), check.configured(file));
    Path output = folder.resolve("output.txt");
    long started = System.nanoTime();
    int status =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // A mutant is refuted before the better compiler has paid for itself.
                "-XX:TieredStopAtLevel=" + (check.isMutant() ? 1 : 4),
                "-Xmx" + System.getProperty("holdfast.spec.heap", "1g"),
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                "tlc2.TLC",
                "-workers",
                "1",
                "-deadlock", // does not look for deadlocks: a run may end
                "-nowarning",
                "-lncheck",
                // Where all holds, it is enough to look once for what never comes true.
                check.isMutant() ? "default" : "final",
                "-difftrace",
                "-metadir",
                folder.resolve("states").toString(),
                "-config",
                "check.cfg",
                check.module() + ".tla")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    double seconds = (System.nanoTime() - started) / 1e9;
    return outcome(check, status, Files.readString(output), seconds, output);
  }

  private static Outcome outcome(Check check, int status, String said, double seconds, Path output)
      throws IOException {
    Matcher violation = VIOLATED.matcher(said);
    String violated = "";
    if (violation.find()) {
      violated = violation.group(1);
    } else if (said.contains("Error: Temporal properties were violated")) {
      violated = check.isMutant() ? check.refutes() : "a temporal property";
    } else if (status != 0) {
      violated = "no answer, exit status " + status;
    }
    Path trace = output.resolveSibling("trace.txt");
    Files.write(trace, Trace.shortened(said.lines().toList()), StandardCharsets.UTF_8);
    return new Outcome(
        check,
        violated,
        last(STATES, said, 1),
        last(STATES, said, 2),
        last(STATES, said, 3),
        last(DEPTH, said, 1),
        seconds,
        output);
  }

  // TLC reports its progress in the same words.
  private static long last(Pattern pattern, String said, int group) {
    return pattern
        .matcher(said)
        .results()
        .reduce((earlier, later) -> later)
        .map(found -> Long.parseLong(found.group(group)))
        .orElse(-1L);
  }

  /** Writes the table of all runs, which ./test prints. */
  static void tell(List<Outcome> outcomes) throws IOException {
    StringBuilder table =
        new StringBuilder("%-36s %10s %10s %4s%n".formatted("", "distinct", "generated", "depth"));
    outcomes.forEach(outcome -> table.append(outcome.row()).append('\n'));
    Files.createDirectories(OUTPUT);
    Files.writeString(OUTPUT.resolve("figures.txt"), table);
    System.out.println(table);
  }
}
