package dev.holdfast.cli.output;

import dev.holdfast.PrintableText;
import dev.holdfast.spi.support.Secrets;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of a command: input, output, messages, the environment, and the terminal.
 * Results go to {@link #out}, everything else to {@link #say}, so that output can be piped.
 */
public final class Console {

  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final List<Secrets> hidden = new CopyOnWriteArrayList<>();

  // Mutable state
  private volatile boolean verbose;

  public Console(
      InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.environment = environment;
  }

  /** That of this process. Always UTF-8: names must look the same under cron as in a terminal. */
  public static Console system() {
    return new Console(
        new FileInputStream(FileDescriptor.in),
        stream(FileDescriptor.out),
        stream(FileDescriptor.err),
        System.getenv());
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(
        new FileOutputStream(descriptor), /* autoFlush= */ true, StandardCharsets.UTF_8);
  }

  public InputStream in() {
    return in;
  }

  public PrintStream out() {
    return out;
  }

  /** The variable's value; null when it is unset or empty. */
  public @Nullable String env(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * Our directory under one of the XDG specification's; null if the user has no home.
   *
   * @param variable names the directory above ours; a relative path is ignored, as specified
   * @param inHome where it is otherwise
   */
  public @Nullable Path directory(String variable, String inHome) {
    String chosen = env(variable);
    if (chosen != null && Path.of(chosen).isAbsolute()) {
      return Path.of(chosen, "holdfast");
    }
    String home = env("HOME");
    return home == null || !Path.of(home).isAbsolute() ? null : Path.of(home, inHome, "holdfast");
  }

  /** Returns whether to add stack traces and log lines to the messages. */
  public void verbose(boolean value) {
    verbose = value;
  }

  public boolean isVerbose() {
    return verbose;
  }

  /**
   * Hides these secrets in all later messages: an error of a driver may contain them. Output on
   * {@link #out} that may contain such text goes through {@link #withoutSecrets}.
   */
  public void hide(Secrets secrets) {
    hidden.add(secrets);
  }

  /** Prints a message in one line on stderr. */
  public void say(String message) {
    err.println("holdfast: " + PrintableText.message(withoutSecrets(message)));
  }

  /** As {@link #say}, with the stack trace if {@code --verbose} was given. */
  public void say(String message, Throwable cause) {
    say(message);
    if (verbose) {
      trace(cause, "", Collections.newSetFromMap(new IdentityHashMap<>()));
    }
  }

  /**
   * As {@link Throwable#printStackTrace()}, but with escaped messages: a line break in a driver's
   * message could pass for a line of ours.
   */
  private void trace(Throwable thrown, String caption, Set<Throwable> seen) {
    if (!seen.add(thrown)) {
      return; // a circle
    }
    err.println(caption + PrintableText.message(withoutSecrets(thrown.toString())));
    for (StackTraceElement frame : thrown.getStackTrace()) {
      err.println("\tat " + frame);
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      trace(suppressed, "Suppressed: ", seen);
    }
    if (thrown.getCause() != null) {
      trace(thrown.getCause(), "Caused by: ", seen);
    }
  }

  /** The text with secrets replaced, for errors that others wrote. */
  public String withoutSecrets(String text) {
    String clean = text;
    for (Secrets secrets : hidden) {
      clean = secrets.hide(clean);
    }
    return clean;
  }

  /** Asks a question on stderr and reads one line from stdin. */
  public String ask(String question) throws IOException {
    err.print(PrintableText.escape(question) + " ");
    err.flush();
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    String line = reader.readLine();
    if (line == null) {
      err.println(); // end of input instead of the return key: without this, the next message
      // would follow the
      // question
      return "";
    }
    return line.strip();
  }

  /**
   * Returns whether this standard stream (0, 1 or 2) is a terminal. Asks the shell: Java cannot
   * tell.
   */
  public boolean isTerminal(int descriptor) {
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

  /** Colours for {@link #out}: none unless it is a terminal and colours are wanted. */
  public Style style() {
    boolean plain = env("NO_COLOR") != null || "dumb".equals(env("TERM")) || !isTerminal(1);
    return new Style(!plain);
  }
}
