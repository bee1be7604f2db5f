package dev.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of text, in columns as wide as their widest cell. */
final class Table {

  private final List<String[]> rows = new ArrayList<>();

  Table(String... titles) {
    row(titles);
  }

  /** Adds a row; control characters in it are escaped. */
  void row(String... cells) {
    String[] clean = new String[cells.length];
    for (int i = 0; i < cells.length; i++) {
      clean[i] = Text.printable(cells[i]);
    }
    rows.add(clean);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        text.append(row[i]);
        if (i + 1 < row.length) {
          text.append(" ".repeat(width(i) - length(row[i]) + 2));
        }
      }
      text.append('\n');
    }
    return text.toString();
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
