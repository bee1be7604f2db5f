package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A terminal with a user at its keyboard. {@code script} makes one. */
public final class Terminal implements AfterEachCallback {

  public static final String CTRL_C = "\u0003";
  static final String CTRL_Z = "\u001a";

  private final Cli cli;
  private Process process;

  public Terminal(Cli cli) {
    this.cli = cli;
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  /** Starts holdfast in a new terminal. */
  public void open(List<String> args) throws IOException {
    openLine("exec " + line(args));
  }

  /** The arguments as a line of shell. */
  public static String line(List<String> args) {
    return CliProcess.shellLine(CliProcess.javaCommand(args.toArray(String[]::new)));
  }

  /** Starts a line of shell in a new terminal; everything on its screen goes to a file. */
  public void openLine(String line) throws IOException {
    openLine(line, Map.of());
  }

  public void openLine(String line, Map<String, String> variables) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("script", "-q", "-e", "-c", line, "/dev/null")
            .directory(cli.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(screenFile().toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    builder.environment().remove("NO_COLOR");
    builder.environment().put("TERM", "xterm");
    builder.environment().put("HOLDFAST_STORE", cli.storeUrl());
    builder.environment().put("SHELL", "/bin/sh");
    builder.environment().putAll(variables);
    process = builder.start();
  }

  public int exitCode() throws InterruptedException {
    assertThat(process.waitFor(CliProcess.PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as("ended in time; its screen: " + screen())
        .isTrue();
    return process.exitValue();
  }

  public void type(String keys) throws IOException {
    OutputStream keyboard = process.getOutputStream();
    keyboard.write(keys.getBytes(StandardCharsets.UTF_8));
    keyboard.flush();
  }

  public void awaitScreen(String text) {
    awaitScreen(text, 1);
  }

  public void awaitScreen(String text, int times) {
    Awaitility.await("'" + text + "' on the screen")
        .atMost(CliProcess.PATIENCE)
        .until(() -> screen().split(Pattern.quote(text), -1).length > times);
  }

  public String screen() {
    return CliProcess.read(screenFile());
  }

  private Path screenFile() {
    return cli.file("screen");
  }
}
