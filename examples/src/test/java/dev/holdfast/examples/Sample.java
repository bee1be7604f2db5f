package dev.holdfast.examples;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a Java block of the documentation stands for: a class, or a region of one.
 *
 * <pre>
 *   &lt;!-- sample: SomeTest#name --&gt;     the lines between "// sample: name" and "// end"
 *   &lt;!-- sample: SomeTest --&gt;          all that follows the imports
 * </pre>
 *
 * @param className the simple name of the class
 * @param region the name of the region, or empty for the whole class
 */
record Sample(String className, String region) {

  private static final Pattern MARKER = Pattern.compile("sample: (\\w+)(?:#([\\w-]+))?");
  private static final Pattern START = Pattern.compile("// sample: ([\\w-]+)");
  private static final String END = "// end";

  /**
   * Reads the marker of a block.
   *
   * @throws IllegalArgumentException if it names no sample
   */
  static Sample of(String marker) {
    Matcher matcher = MARKER.matcher(marker);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "a java block needs a comment above it: <!-- sample: SomeTest#name -->");
    }
    return new Sample(matcher.group(1), matcher.group(2) == null ? "" : matcher.group(2));
  }

  /**
   * Its text in the source, without indentation.
   *
   * @throws IllegalArgumentException if the source has no such region
   */
  String in(String source) {
    List<String> lines = source.lines().toList();
    if (region.isEmpty()) {
      return String.join("\n", lines.subList(afterImports(lines), lines.size())).strip();
    }
    int start = -1;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.equals("// sample: " + region)) {
        start = i + 1;
      } else if (start >= 0 && line.equals(END)) {
        return String.join("\n", lines.subList(start, i)).stripTrailing().stripIndent().strip();
      }
    }
    throw new IllegalArgumentException(
        className + ".java has no lines between '// sample: " + region + "' and '" + END + "'");
  }

  /** The names of all regions of a source. */
  static List<String> regions(String source) {
    return source
        .lines()
        .map(line -> START.matcher(line.strip()))
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1))
        .toList();
  }

  private static int afterImports(List<String> lines) {
    int after = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("import ") || lines.get(i).startsWith("package ")) {
        after = i + 1;
      }
    }
    return after;
  }
}
