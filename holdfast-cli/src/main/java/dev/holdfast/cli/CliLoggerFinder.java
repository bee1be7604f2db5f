package dev.holdfast.cli;

import dev.holdfast.cli.output.Console;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Sends log lines to stderr with {@code --verbose}, otherwise nowhere, since each command reports
 * its outcome. Holdfast's are shown from DEBUG on, those of the JDK and of libraries from WARNING
 * on: below that, the JDK logs each certificate and key it uses. Also saves the start-up time of
 * java.util.logging.
 */
public final class CliLoggerFinder extends System.LoggerFinder {

  private static final String OURS = "dev.holdfast";

  // Mutable state
  private static volatile @Nullable Console target;

  /** For {@link java.util.ServiceLoader}. */
  public CliLoggerFinder() {}

  /** Shows log lines from now on. */
  static void showOn(Console console) {
    target = console;
  }

  @Override
  public Logger getLogger(String name, Module module) {
    return new Line(name);
  }

  private record Line(String name) implements Logger {

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      Level least = isOurs() ? Level.DEBUG : Level.WARNING;
      return target != null && level.compareTo(least) >= 0 && level != Level.OFF;
    }

    private boolean isOurs() {
      return name.equals(OURS) || name.startsWith(OURS + ".");
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      Console console = target;
      if (console != null && isLoggable(level)) {
        String line = level + " " + name + ": " + message;
        if (thrown == null) {
          console.say(line);
        } else {
          console.say(line, thrown);
        }
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... params) {
      boolean plain = params == null || params.length == 0 || format == null;
      log(level, bundle, plain ? format : MessageFormat.format(format, params), (Throwable) null);
    }
  }
}
