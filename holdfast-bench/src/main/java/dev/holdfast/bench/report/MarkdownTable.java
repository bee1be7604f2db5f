package dev.holdfast.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of a page. */
record MarkdownTable(List<String> head, List<List<String>> rows) {

  static final String NOTHING = "–";

  /** The same without columns that have nothing in any row. */
  MarkdownTable withoutEmptyColumns() {
    List<Integer> left =
        IntStream.range(0, head.size())
            .filter(i -> rows.stream().anyMatch(row -> !row.get(i).equals(NOTHING)))
            .boxed()
            .toList();
    return new MarkdownTable(
        left.stream().map(head::get).toList(),
        rows.stream().map(row -> left.stream().map(row::get).toList()).toList());
  }

  @Override
  public String toString() {
    List<List<String>> lines = new ArrayList<>(List.of(head));
    lines.add(head.stream().map(cell -> "---").toList());
    lines.addAll(rows);
    return lines.stream().map(MarkdownTable::line).collect(Collectors.joining());
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
