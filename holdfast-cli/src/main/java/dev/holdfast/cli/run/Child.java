package dev.holdfast.cli.run;

import dev.holdfast.cli.output.CliException;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the user's command, with our standard streams, so that all its processes can be signalled.
 *
 * <p>Without a terminal it gets its own session ({@code setsid}), and the kernel kills it if this
 * process dies ({@code setpriv --pdeathsig}, where available). With a terminal it stays in our
 * process group: it may read from the terminal, and the keys for interrupt and suspend reach it.
 */
public final class Child {

  /** Secrets that log in to the store or release a lock: passed on only on request. */
  private static final List<String> SECRETS = List.of("HOLDFAST_STORE_PASSWORD", "HOLDFAST_HANDLE");

  private final Set<String> withheld;
  private final boolean hasTerminal;
  private final boolean hasSetsid;
  private final @Nullable Process probe;

  /**
   * Finds out what the system offers. The results are ready when {@link #start} needs them.
   *
   * @param passed comma-separated names of the secret variables that are passed to the command
   * @throws CliException if one of them is not a secret variable
   */
  public Child(@Nullable String path, @Nullable String passed) {
    withheld = new HashSet<>(SECRETS);
    for (String name : passed == null ? List.<String>of() : List.of(passed.split(",", -1))) {
      if (!withheld.remove(name)) {
        throw CliException.usage(
            "--pass-env takes "
                + String.join(" and ", SECRETS)
                + ", not '"
                + name
                + "'; every other variable is passed on anyway");
      }
    }
    hasTerminal = hasTerminal();
    hasSetsid = !hasTerminal && Executable.find("setsid", path) != null;
    probe = hasSetsid && Executable.find("setpriv", path) != null ? probe() : null;
  }

  /** Returns whether the terminal's keys reach the command without our help. */
  boolean sharesTerminal() {
    return hasTerminal;
  }

  /**
   * Starts the command. The calling thread must live until it ends: to the kernel the parent is the
   * thread, and its end would kill the command.
   */
  Process start(List<String> command, Map<String, String> variables) throws IOException {
    List<String> words = new ArrayList<>();
    if (hasSetsid) {
      words.add("setsid");
      if (canDieWithUs()) {
        words.addAll(List.of("setpriv", "--pdeathsig", "KILL"));
      }
      words.add("--");
    }
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    restoreLocale(builder.environment());
    builder.environment().keySet().removeAll(withheld);
    builder.environment().putAll(variables);
    return builder.start();
  }

  /**
   * The launcher starts Java in a UTF-8 locale, without which it could not read the arguments, and
   * leaves the caller's in a variable.
   */
  private static void restoreLocale(Map<String, String> environment) {
    String callers = environment.remove("HOLDFAST_CALLER_LC_ALL");
    if (callers != null && callers.isEmpty()) {
      environment.remove("LC_ALL");
    } else if (callers != null) {
      environment.put("LC_ALL", callers);
    }
  }

  /** Older versions of setpriv, and other implementations, lack the option. */
  private static @Nullable Process probe() {
    try {
      return new ProcessBuilder("setpriv", "--pdeathsig", "KILL", "true")
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      return null;
    }
  }

  private boolean canDieWithUs() {
    try {
      return probe != null && probe.waitFor(5, TimeUnit.SECONDS) && probe.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean hasTerminal() {
    try (FileInputStream terminal = new FileInputStream("/dev/tty")) {
      return terminal.getFD().valid();
    } catch (IOException e) {
      return false; // there is none, or it is not accessible
    }
  }
}
