package dev.holdfast.cli;

import dev.holdfast.cli.output.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Everything that people could read of what happens: messages with their traces, and log lines of
 * Holdfast, and of the client libraries as far as they are on by default. The console here hides
 * nothing, so that the library has to.
 */
public final class VisibleOutput implements AutoCloseable {

  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(lines, true, StandardCharsets.UTF_8);
  private final Logger root = Logger.getLogger("");
  private final Level before = root.getLevel();
  private final Handler handler = new Lines();

  public VisibleOutput() {
    Console console = new Console(new ByteArrayInputStream(new byte[0]), out, out, Map.of());
    console.verbose(true);
    CliLoggerFinder.showOn(console);
    root.setLevel(Level.INFO);
    handler.setLevel(Level.ALL);
    root.addHandler(handler);
  }

  public void tell(Object text) {
    out.println(text);
  }

  public void tell(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    out.println(trace);
  }

  /** What was printed since the last call. */
  public String text() {
    String text = lines.toString(StandardCharsets.UTF_8);
    lines.reset();
    return text;
  }

  /** Where a text shows three characters in a row of a secret, in any spelling. */
  public static List<String> leaks(String text, String secret) {
    String once = decoded(text);
    List<String> leaks = new ArrayList<>();
    int[] points = secret.codePoints().toArray();
    for (String spelling : List.of(text, once, decoded(once))) {
      String lower = spelling.toLowerCase(Locale.ROOT);
      for (int i = 0; i + 3 <= points.length; i++) {
        int found = lower.indexOf(new String(points, i, 3).toLowerCase(Locale.ROOT));
        if (found >= 0) {
          int end = Math.min(spelling.length(), found + 100);
          leaks.add(spelling.substring(Math.max(0, found - 200), end));
          return leaks;
        }
      }
    }
    return leaks;
  }

  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < raw.length; i++) {
      boolean escaped =
          raw[i] == '%'
              && i + 2 < raw.length
              && Character.digit(raw[i + 1], 16) >= 0
              && Character.digit(raw[i + 2], 16) >= 0;
      bytes.write(
          escaped
              ? Character.digit(raw[i + 1], 16) << 4 | Character.digit(raw[i + 2], 16)
              : raw[i]);
      i += escaped ? 2 : 0;
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    root.removeHandler(handler);
    root.setLevel(before);
    CliLoggerFinder.showOn(null);
  }

  private final class Lines extends Handler {

    @Override
    public void publish(LogRecord line) {
      tell(new SimpleFormatter().formatMessage(line));
      if (line.getThrown() != null) {
        tell(line.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
