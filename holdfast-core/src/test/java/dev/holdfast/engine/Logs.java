package dev.holdfast.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.List;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Where this module's tests log to: errors go to the standard error stream, and everything to the
 * recordings that are open. Found by {@link java.util.ServiceLoader}.
 */
public final class Logs extends System.LoggerFinder {

  private static final List<Recording> RECORDINGS = new CopyOnWriteArrayList<>();

  /** For the service loader. */
  public Logs() {}

  public static Recording record() {
    return record(line -> {});
  }

  /** Also calls this where a line is logged. */
  static Recording record(Consumer<String> also) {
    Recording recording = new Recording(also);
    RECORDINGS.add(recording);
    return recording;
  }

  @Override
  public Logger getLogger(String name, Module module) {
    return new Recorder(name);
  }

  private record Line(String logger, Level level, String text, Throwable thrown) {}

  /** What the library has logged since it was made. */
  public static final class Recording implements AutoCloseable {
    private final List<Line> lines = new CopyOnWriteArrayList<>();
    private final Consumer<String> also;

    private Recording(Consumer<String> also) {
      this.also = also;
    }

    private void add(Line line) {
      lines.add(line);
      also.accept(line.text);
    }

    public List<String> atLeast(Level level) {
      return lines.stream()
          .filter(line -> line.logger.startsWith("dev.holdfast"))
          .filter(line -> line.level.getSeverity() >= level.getSeverity())
          .map(Line::text)
          .toList();
    }

    /** For each line with this in it: what was logged with it, empty if nothing was. */
    List<Optional<Throwable>> thrown(String part) {
      return lines.stream()
          .filter(line -> line.text.contains(part))
          .map(line -> Optional.ofNullable(line.thrown))
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
      write(level, message, thrown);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... params) {
      write(
          level,
          params == null || params.length == 0 ? format : MessageFormat.format(format, params),
          null);
    }

    private void write(Level level, String text, Throwable thrown) {
      RECORDINGS.forEach(recording -> recording.add(new Line(name, level, text, thrown)));
      if (level.getSeverity() >= Level.ERROR.getSeverity()) {
        System.err.println(name + ": " + text);
      }
    }
  }
}
