package dev.holdfast.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Where this module's tests log to: errors go to the standard error stream, and everything to the
 * recordings that are open. Found by {@link java.util.ServiceLoader}.
 */
public final class Logs extends System.LoggerFinder {

  private static final List<Recording> RECORDINGS = new CopyOnWriteArrayList<>();

  /** For the service loader. */
  public Logs() {}

  static Recording record() {
    Recording recording = new Recording();
    RECORDINGS.add(recording);
    return recording;
  }

  @Override
  public Logger getLogger(String name, Module module) {
    return new Recorder(name);
  }

  private record Line(String logger, Level level, String text) {}

  /** What the library has logged since it was made. */
  static final class Recording implements AutoCloseable {
    private final List<Line> lines = new CopyOnWriteArrayList<>();

    List<String> atLeast(Level level) {
      return lines.stream()
          .filter(line -> line.logger.startsWith("dev.holdfast"))
          .filter(line -> line.level.getSeverity() >= level.getSeverity())
          .map(Line::text)
          .toList();
    }

    @Override
    public void close() {
      RECORDINGS.remove(this);
    }
  }

  private record Recorder(String name) implements Logger {

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return level.getSeverity() >= Level.DEBUG.getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      write(level, message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... params) {
      write(
          level,
          params == null || params.length == 0 ? format : MessageFormat.format(format, params));
    }

    private void write(Level level, String text) {
      RECORDINGS.forEach(recording -> recording.lines.add(new Line(name, level, text)));
      if (level.getSeverity() >= Level.ERROR.getSeverity()) {
        System.err.println(name + ": " + text);
      }
    }
  }
}
