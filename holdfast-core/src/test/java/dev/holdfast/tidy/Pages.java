package dev.holdfast.tidy;

import static java.util.regex.Pattern.compile;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The form of pages for people. */
final class Pages {

  private static final int WORDS = 15;
  private static final int README_LINES = 199;

  private static final Pattern LINK = compile("\\[([^\\]]*)\\]\\([^)]*\\)");

  private Pages() {}

  static Stream<String> longCells(Source page) {
    String[] lines = page.text().split("\n", -1);
    return IntStream.range(0, lines.length)
        .filter(i -> lines[i].startsWith("|"))
        .boxed()
        .flatMap(
            i ->
                Arrays.stream(lines[i].split("(?<!\\\\)\\|"))
                    .map(cell -> LINK.matcher(cell).replaceAll("$1").strip())
                    .filter(cell -> cell.split("\\s+").length > WORDS)
                    .map(
                        cell ->
                            page.path()
                                + ":"
                                + (i + 1)
                                + ": '"
                                + cell
                                + "': leave at most 15 words in a cell; the details go below"));
  }

  static Stream<String> longReadme(Source page) {
    return page.lines() <= README_LINES
        ? Stream.empty()
        : Stream.of(page.path() + ": " + page.lines() + " lines: make it a page in docs/");
  }
}
