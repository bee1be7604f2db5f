package dev.holdfast.torture.report;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.store.FaultKind.Lane;
import dev.holdfast.torture.worker.LockNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A picture of a part of a run: who held which lock, when, with which token, beside the faults of
 * that time. A hold is as wide as its lease was valid by its last word.
 */
final class Timeline {

  /** One page. */
  static final long PAGE = TimeUnit.SECONDS.toNanos(60);

  private static final int LEFT = 150;
  private static final int WIDTH = 1500;
  private static final int BAR = 14;
  private static final int ROW = 17;
  private static final int TOP = 60;
  private static final double LETTER = 6.5; // pixels
  private static final int DIGITS = 8; // of a token
  private static final List<String> COLOURS =
      List.of("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f");

  private final long start;
  private final long from;
  private final int workers;
  private final StringBuilder svg = new StringBuilder();

  // Mutable state
  private int y = TOP;

  private Timeline(long start, long from, int workers) {
    this.start = start;
    this.from = from;
    this.workers = workers;
  }

  /** The page that begins at this moment. */
  static String page(
      String title,
      long start,
      long from,
      List<Hold> holds,
      List<CausedFault> faults,
      int workers) {
    Timeline page = new Timeline(start, from, workers);
    for (String lock : LockNames.ALL) {
      page.lock(lock, holds);
    }
    page.y += ROW / 2;
    for (int i = 1; i <= workers; i++) {
      String worker = "w" + i + "-";
      page.faults("worker " + i, fault -> fault.victim().startsWith(worker), Lane.WORKER, faults);
    }
    page.faults("servers", fault -> true, Lane.SERVER, faults);
    page.faults("operator", fault -> true, Lane.OPERATOR, faults);
    return page.whole(title);
  }

  private void lock(String lock, List<Hold> holds) {
    List<List<Hold>> lines = new ArrayList<>();
    for (Hold hold : holds) {
      if (hold.lock().equals(lock) && hold.to() > from && hold.from() < from + PAGE) {
        line(lines, hold).add(hold);
      }
    }
    label(lock.substring(lock.indexOf('/') + 1));
    if (lines.isEmpty()) {
      y += ROW;
    }
    for (List<Hold> line : lines) {
      double last = 0;
      for (Hold hold : line) {
        double x = x(hold.from());
        double width = Math.max(1, x(hold.to()) - x);
        if (x + width > last + 0.5) {
          bar(x, width, colour(hold), opacity(hold.construct()), hold.text());
          inside(x, width, shortened(hold.token()));
          last = x + width;
        }
      }
      y += ROW;
    }
  }

  /** The first line that has room: holds that overlap are drawn below each other. */
  private static List<Hold> line(List<List<Hold>> lines, Hold hold) {
    for (List<Hold> line : lines) {
      if (line.get(line.size() - 1).to() <= hold.from()) {
        return line;
      }
    }
    List<Hold> line = new ArrayList<>();
    lines.add(line);
    return line;
  }

  private void faults(
      String name, Predicate<CausedFault> mine, Lane lane, List<CausedFault> faults) {
    label(name);
    for (CausedFault fault : faults) {
      if (fault.caused()
          && fault.kind().lane() == lane
          && mine.test(fault)
          && fault.to() > from
          && fault.from() < from + PAGE) {
        double x = x(fault.from());
        double width = Math.max(3, x(fault.to()) - x);
        String what = fault.kind().title() + " " + fault.victim();
        bar(x, width, "#c0392b", 0.75, "fault %d: %s".formatted(fault.number(), what));
        inside(x, width, fault.kind().title());
      }
    }
    y += ROW;
  }

  private void label(String text) {
    svg.append(
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#e4e4e4\"/>%n"
            .formatted(0, y - 2, LEFT + WIDTH, y - 2));
    text(6, y + 11, "#222", text);
  }

  /** A label in a bar, if it fits. */
  private void inside(double x, double width, String text) {
    if (width > LETTER * text.length()) {
      text(x + 3, y + 11, "#fff", text);
    }
  }

  /** The digits in which the tokens of a run differ. */
  private static String shortened(long token) {
    String digits = Long.toString(token);
    return digits.length() <= DIGITS ? digits : "…" + digits.substring(digits.length() - DIGITS);
  }

  private void text(double x, int line, String colour, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%d\" fill=\"%s\">%s</text>%n",
            x,
            line,
            colour,
            escaped(text)));
  }

  private void bar(double x, double width, String colour, double opacity, String title) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\""
                + " fill-opacity=\"%.2f\"><title>%s</title></rect>%n",
            x,
            y,
            width,
            BAR,
            colour,
            opacity,
            escaped(title)));
  }

  private String whole(String title) {
    StringBuilder all = new StringBuilder();
    int height = y + ROW;
    all.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">%n"
            .formatted(LEFT + WIDTH + 20, height));
    all.append("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    all.append("<text x=\"6\" y=\"20\" font-size=\"15\">%s</text>%n".formatted(escaped(title)));
    int x = LEFT;
    for (int i = 0; i < COLOURS.size() && i < workers; i++) {
      all.append(
          "<rect x=\"%d\" y=\"28\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"37\">worker %d</text>%n"
              .formatted(x, COLOURS.get(i), x + 14, i + 1));
      x += 80;
    }
    all.append(
        "<rect x=\"%d\" y=\"28\" width=\"10\" height=\"10\" fill=\"#c0392b\"/><text x=\"%d\" y=\"37\">fault</text>%n"
            .formatted(x, x + 14));
    for (int second = 0; second <= PAGE / 1_000_000_000L; second += 5) {
      int at = LEFT + (int) (WIDTH * (second * 1e9 / PAGE));
      all.append(
          "<line x1=\"%d\" y1=\"48\" x2=\"%d\" y2=\"%d\" stroke=\"#eee\"/><text x=\"%d\" y=\"54\" fill=\"#666\">%d s</text>%n"
              .formatted(at, at, height, at + 2, (from - start) / 1_000_000_000L + second));
    }
    return all.append(svg).append("</svg>\n").toString();
  }

  private double x(long moment) {
    long inside = Math.max(0, Math.min(PAGE, moment - from));
    return LEFT + WIDTH * (double) inside / PAGE;
  }

  private static String colour(Hold hold) {
    int worker = Integer.parseInt(hold.who().substring(1, hold.who().indexOf('-')));
    return COLOURS.get((worker - 1) % COLOURS.size());
  }

  private static double opacity(Construct construct) {
    return construct.isExclusive() ? 1 : 0.6;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
