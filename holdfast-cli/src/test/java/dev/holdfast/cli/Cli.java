package dev.holdfast.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Starts holdfast processes on a SQLite file of the test's own, and ends what is left of them. */
public final class Cli implements BeforeEachCallback, AfterEachCallback {

  private final List<CliProcess> started = new ArrayList<>();
  private Path directory;

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    directory = Files.createTempDirectory("holdfast-cli");
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (CliProcess process : started) {
      process.close();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Where the processes run. */
  public Path directory() {
    return directory;
  }

  public Path file(String name) {
    return directory.resolve(name);
  }

  public String storeUrl() {
    return "sqlite:" + file("locks.db");
  }

  /** Starts holdfast with these arguments; the store comes from the environment. */
  public CliProcess start(String... args) {
    return start(Map.of("HOLDFAST_STORE", storeUrl()), args);
  }

  public CliProcess start(Map<String, String> variables, String... args) {
    CliProcess process = CliProcess.start(directory, variables, args);
    started.add(process);
    return process;
  }

  /** Starts {@code holdfast run} with options, a lock and a script for sh. */
  public CliProcess run(List<String> options, String lock, String script) {
    List<String> words = new ArrayList<>();
    words.add("run");
    words.addAll(options);
    words.addAll(List.of(lock, "--", "sh", "-c", script));
    return start(words.toArray(String[]::new));
  }
}
