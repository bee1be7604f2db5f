package dev.holdfast.cli;

import dev.holdfast.cli.output.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A command line run inside the test's JVM: for what never starts a process. */
public final class InProcess {

  public final int exitCode;
  public final String out;
  public final String err;

  private InProcess(int exitCode, String out, String err) {
    this.exitCode = exitCode;
    this.out = out;
    this.err = err;
  }

  public static InProcess run(String... args) {
    return run(Map.of(), args);
  }

  /** With these variables and a PATH; without a home. */
  public static InProcess run(Map<String, String> variables, String... args) {
    return runWithInput("", variables, args);
  }

  /** As {@link #run}, with this on standard input. */
  public static InProcess runWithInput(
      String input, Map<String, String> variables, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", System.getenv("PATH"));
    environment.putAll(variables);
    Console console =
        new Console(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment);
    int exitCode = Main.run(args, console);
    return new InProcess(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
