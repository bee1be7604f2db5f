package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A holdfast process, started as the launcher starts it, with its output in files. */
public final class CliProcess implements AutoCloseable {

  /** Generous: a loaded machine must not fail a test. */
  public static final Duration PATIENCE = Duration.ofSeconds(100);

  private final Process process;
  private final Path out;
  private final Path err;

  private CliProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** The words that start the command line in a JVM. */
  public static List<String> javaCommand(String... args) {
    List<String> words = new ArrayList<>();
    // A test run in the background of a script ignores these signals, and would pass that on.
    words.addAll(List.of("env", "--default-signal=INT,QUIT,HUP,TERM"));
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    // SQLite unpacks its library to where it runs: what a killed process leaves goes with the test.
    words.add("-Dorg.sqlite.tmpdir=.");
    words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    words.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    words.add("dev.holdfast.cli.Main");
    words.addAll(List.of(args));
    // In a locale that is not UTF-8, this JVM could not pass on anything but ASCII itself.
    boolean ascii = words.stream().allMatch(word -> word.chars().allMatch(c -> c < 128));
    return ascii ? words : List.of("sh", "-c", "exec " + shellLine(words));
  }

  /** The words as a line of shell, in ASCII. */
  public static String shellLine(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      line.append(" \"$(printf %b '");
      for (byte b : word.getBytes(StandardCharsets.UTF_8)) {
        boolean plain = Character.isLetterOrDigit(b) || b == '/' || b == '.' || b == '-';
        line.append(plain ? Character.toString(b) : String.format("\\0%03o", b & 255));
      }
      line.append("')\"");
    }
    return line.toString();
  }

  /** Starts it in this directory, without the test's own settings. */
  public static CliProcess start(Path directory, Map<String, String> variables, String... args) {
    try {
      Path out = Files.createTempFile(directory, "out", ".txt");
      Path err = Files.createTempFile(directory, "err", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(javaCommand(args))
              .directory(directory.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
      builder.environment().put("LC_ALL", "C.UTF-8");
      builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
      builder.environment().put("XDG_CONFIG_HOME", directory.resolve("config").toString());
      builder.environment().putAll(variables);
      return new CliProcess(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long pid() {
    return process.pid();
  }

  /** Waits for its end. */
  public int exitCode() throws InterruptedException {
    return exitCode(PATIENCE);
  }

  /** Waits for its end at most this long. */
  public int exitCode(Duration patience) throws InterruptedException {
    assertThat(process.waitFor(patience.toSeconds(), TimeUnit.SECONDS))
        .as("ended in time; it says: " + err())
        .isTrue();
    return process.exitValue();
  }

  boolean isRunning() {
    return process.isAlive();
  }

  public String out() {
    return read(out);
  }

  public String err() {
    return read(err);
  }

  /** Sends it a signal. */
  public void signal(String name) throws Exception {
    Processes.signal(name, process.pid());
  }

  /** Waits until it has printed this on stdout. */
  public CliProcess awaitOut(String text) {
    Awaitility.await("'" + text + "' on stdout")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(out()).as("stderr: " + err()).contains(text));
    return this;
  }

  /** Waits until it has printed this on stderr. */
  public CliProcess awaitErr(String text) {
    Awaitility.await("'" + text + "' on stderr")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(err()).contains(text));
    return this;
  }

  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it and everything it started. */
  @Override
  public void close() throws Exception {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
