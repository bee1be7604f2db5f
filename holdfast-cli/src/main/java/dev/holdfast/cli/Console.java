package dev.holdfast.cli;

import dev.holdfast.spi.support.PrintableText;
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
 * What a command sees of the world: output, messages, the environment, and whether a person is
 * there. Results go to {@link #out}, everything else to {@link #say}, so that output can be piped.
 */
final class Console {

  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, String> environment;
  private final List<Secrets> hidden = new CopyOnWriteArrayList<>();

  // Mutable state
  private volatile boolean verbose;

  Console(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.environment = environment;
  }

  /** The process's own. Always UTF-8: names must look the same under cron as in a terminal. */
  static Console system() {
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

  InputStream in() {
    return in;
  }

  PrintStream out() {
    return out;
  }

  /** The variable's value; null when it is unset or empty. */
  @Nullable String env(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * Our directory under one of the XDG specification's; null if the user has no home.
   *
   * @param variable names the directory above ours; a relative path is ignored, as specified
   * @param inHome where it is otherwise
   */
  @Nullable Path directory(String variable, String inHome) {
    String chosen = env(variable);
    if (chosen != null && Path.of(chosen).isAbsolute()) {
      return Path.of(chosen, "holdfast");
    }
    String home = env("HOME");
    return home == null || !Path.of(home).isAbsolute() ? null : Path.of(home, inHome, "holdfast");
  }

  /** Whether to add stack traces and log lines to the messages. */
  void verbose(boolean value) {
    verbose = value;
  }

  boolean isVerbose() {
    return verbose;
  }

  /**
   * Keeps secrets out of every message from now on, whatever wrote it: a driver may put what it was
   * given into an error. What is printed on {@link #out} is looked at by {@link #withoutSecrets}.
   */
  void hide(Secrets secrets) {
    hidden.add(secrets);
  }

  /** Tells the user something, in one line on stderr. */
  void say(String message) {
    err.println("holdfast: " + PrintableText.message(withoutSecrets(message)));
  }

  /** As {@link #say}, with the stack trace if the user asked for such. */
  void say(String message, Throwable cause) {
    say(message);
    if (verbose) {
      trace(cause, "", Collections.newSetFromMap(new IdentityHashMap<>()));
    }
  }

  /**
   * As {@link Throwable#printStackTrace()}, but the messages are escaped: those of drivers may
   * repeat what others wrote, and a line break in them could pass for a line of ours.
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

  /** The text of somebody else's error, fit to be shown. */
  String withoutSecrets(String text) {
    String clean = text;
    for (Secrets secrets : hidden) {
      clean = secrets.hide(clean);
    }
    return clean;
  }

  /** Asks a question on stderr and reads one line from stdin. */
  String ask(String question) throws IOException {
    err.print(PrintableText.escape(question) + " ");
    err.flush();
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    String line = reader.readLine();
    if (line == null) {
      err.println(); // nobody hit the return key, so the next message would stand beside the
      // question
      return "";
    }
    return line.strip();
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

  /** Colours for what goes to {@link #out}: none unless a person sees it and wants them. */
  Style style() {
    boolean plain = env("NO_COLOR") != null || "dumb".equals(env("TERM")) || !isTerminal(1);
    return new Style(!plain);
  }
}
