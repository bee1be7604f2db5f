package dev.holdfast.cli.run;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One shell that runs the watchdog's script. Not thread-safe: {@link Watchdog} takes care. */
final class WatchdogShell {

  /** Its exit status when it has stopped the command. */
  static final int STOPPED = 76;

  /** Its exit status when the command cannot be stopped. */
  static final int COULD_NOT_STOP = 77;

  private static final String SCRIPT = "HOLDFAST_WATCHDOG";

  private final Process process;

  private WatchdogShell(Process process) {
    this.process = process;
  }

  /**
   * Starts the shell.
   *
   * @param grace between TERM and KILL
   * @param marker what the command and its descendants have in their environment
   * @param path where to look for commands
   */
  static WatchdogShell start(String script, Duration grace, RunMarker marker, @Nullable String path)
      throws IOException {
    List<String> words = new ArrayList<>();
    Path setsid = Executable.find("setsid", path);
    if (setsid != null) {
      words.add(setsid.toString()); // out of reach of what is sent to our group
    }
    // Not every sh can wait for a line with a limit; bash can, and is on nearly every machine.
    Path bash = Executable.find("bash", path);
    words.add(bash != null ? bash.toString() : "/bin/sh");
    // By way of a variable the script does not fill the list of processes.
    words.addAll(List.of("-c", "eval \"$" + SCRIPT + "\"", "holdfast-watchdog", seconds(grace)));
    words.add(marker.toString()); // not in a variable: the watchdog must not find itself
    ProcessBuilder builder = new ProcessBuilder(words);
    String defaults = Executable.DEFAULT_PATH; // last: for its own tools, if the user's has none
    // The user's settings for shells, functions among them, must not change the script.
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", path == null ? defaults : path + ":" + defaults);
    environment.put(SCRIPT, script);
    // It must not keep open a pipe from which the command's output is read.
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    return new WatchdogShell(builder.start());
  }

  long pid() {
    return process.pid();
  }

  /** Writes a line; returns false if the shell has ended. */
  boolean write(String line) {
    try {
      OutputStream out = process.getOutputStream();
      out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      out.flush();
      return true;
    } catch (IOException e) {
      return false; // a broken pipe
    }
  }

  /** Ends its input: there is nothing more to say. */
  void hangUp() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has ended already.
    }
  }

  /** Its exit status, or -1 if it does not end within this time. */
  int status(Duration within) {
    try {
      boolean ended = process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
      return ended ? process.exitValue() : -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }

  /** A duration as the script takes it: {@code 22.500}, never zero. */
  static String seconds(Duration value) {
    long millis = Math.max(1, value.toMillis());
    return millis / 1000 + "." + Long.toString(1000 + millis % 1000).substring(1);
  }
}
