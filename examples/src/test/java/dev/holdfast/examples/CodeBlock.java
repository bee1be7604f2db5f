package dev.holdfast.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block of a Markdown document.
 *
 * @param document the document's name
 * @param line where the block starts, counted from 1
 * @param language what stands after the opening fence
 * @param marker what the HTML comment right above the block says, or empty
 * @param text the block without its fences
 */
record CodeBlock(String document, int line, String language, String marker, String text) {

  private static final String FENCE = "```";
  private static final Pattern COMMENT = Pattern.compile("<!--(.*)-->");

  /** The blocks of a document, in order. */
  static List<CodeBlock> of(String document, String markdown) {
    List<CodeBlock> blocks = new ArrayList<>();
    List<String> lines = markdown.lines().toList();
    String marker = "";
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      Matcher comment = COMMENT.matcher(line);
      if (line.startsWith(FENCE)) {
        int end = i + 1;
        while (end < lines.size() && !lines.get(end).strip().equals(FENCE)) {
          end++;
        }
        String text = String.join("\n", lines.subList(i + 1, end)).stripIndent();
        blocks.add(new CodeBlock(document, i + 1, line.substring(FENCE.length()), marker, text));
        i = end;
        marker = "";
      } else if (comment.matches()) {
        marker = comment.group(1).strip();
      } else if (!line.isEmpty()) {
        marker = "";
      }
    }
    return blocks;
  }

  /** Where a reader finds it. */
  String place() {
    return document + ":" + line;
  }
}
