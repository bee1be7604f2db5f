package dev.holdfast.cli.output;

import dev.holdfast.PrintableText;
import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns, each as wide as its widest cell. */
public final class Table {

  private static final int GAP = 2;
  private static final int NARROWEST = 8;

  private final List<String[]> rows = new ArrayList<>();

  public Table(String... titles) {
    row(titles);
  }

  /** Adds a row; control characters in it are escaped. */
  public void row(String... cells) {
    String[] clean = new String[cells.length];
    for (int i = 0; i < cells.length; i++) {
      clean[i] = PrintableText.escape(cells[i]);
    }
    rows.add(clean);
  }

  /** The lines, the titles first. */
  public List<String> lines(Style style) {
    List<String> lines = new ArrayList<>();
    int[] widths = widths();
    for (String[] row : rows) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        text.append(row[i]);
        if (i + 1 < row.length) {
          text.append(" ".repeat(widths[i] - length(row[i]) + GAP));
        }
      }
      lines.add(lines.isEmpty() ? style.bold(text.toString()) : text.toString());
    }
    return lines;
  }

  /** Shortens cells of the first two columns, the wider one first, until the lines fit. */
  public Table fit(int columns) {
    int[] widths = widths();
    while (total(widths) > columns) {
      int wider = widths[1] > widths[0] ? 1 : 0;
      if (widths[wider] <= NARROWEST) {
        break; // the terminal cuts off the rest
      }
      widths[wider]--;
    }
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        row[i] = PrintableText.shorten(row[i], widths[i]);
      }
    }
    return this;
  }

  /** Prints it. */
  public void print(Console console) {
    lines(console.style()).forEach(console.out()::println);
  }

  private int[] widths() {
    int[] widths = new int[rows.get(0).length];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = width(i);
    }
    return widths;
  }

  private static int total(int[] widths) {
    int total = GAP * (widths.length - 1);
    for (int width : widths) {
      total += width;
    }
    return total;
  }

  private int width(int column) {
    int width = 0;
    for (String[] row : rows) {
      width = Math.max(width, length(row[column]));
    }
    return width;
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
