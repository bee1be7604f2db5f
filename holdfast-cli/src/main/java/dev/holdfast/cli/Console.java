package dev.holdfast.cli;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command sees of the world: output, messages, the environment, and whether a person is
 * there. Results go to {@link #out}, everything else to {@link #say}, so that output can be piped.
 */
final class Console {

  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;

  // Mutable state
  private volatile boolean verbose;

  Console(PrintStream out, PrintStream err, Map<String, String> environment) {
    this.out = out;
    this.err = err;
    this.environment = environment;
  }

  /** The process's own. Always UTF-8: names must look the same under cron as in a terminal. */
  static Console system() {
    return new Console(stream(FileDescriptor.out), stream(FileDescriptor.err), System.getenv());
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(
        new FileOutputStream(descriptor), /* autoFlush= */ true, StandardCharsets.UTF_8);
  }

  PrintStream out() {
    return out;
  }

  /** The variable's value; null when it is unset or empty. */
  @Nullable String env(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Whether to add stack traces and log lines to the messages. */
  void verbose(boolean value) {
    verbose = value;
  }

  boolean isVerbose() {
    return verbose;
  }

  /** Tells the user something, in one line on stderr. */
  void say(String message) {
    err.println("holdfast: " + Text.printable(message));
  }

  /** As {@link #say}, with the stack trace if the user asked for such. */
  void say(String message, Throwable cause) {
    say(message);
    if (verbose) {
      cause.printStackTrace(err);
    }
  }

  /** Asks a question on stderr and reads one line from stdin. */
  String ask(String question) throws IOException {
    err.print(Text.printable(question) + " ");
    err.flush();
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
    String line = reader.readLine();
    return line == null ? "" : line.strip();
  }

  /** Whether this standard stream (0, 1 or 2) is a terminal. Asks the shell: Java cannot tell. */
  boolean isTerminal(int descriptor) {
    try {
      return new ProcessBuilder("sh", "-c", "test -t " + descriptor).inheritIO().start().waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
