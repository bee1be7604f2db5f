package dev.holdfast.tidy;

/** Tells code, comments and quotes of a Java file apart. Line breaks stay where they are. */
final class JavaText {

  private final String text;

  // Mutable state
  private final StringBuilder code = new StringBuilder();
  private final StringBuilder commented = new StringBuilder();
  private int position;

  JavaText(String text) {
    this.text = text;
    while (position < text.length()) {
      if (text.startsWith("//", position)) {
        comment(end("\n", 0));
      } else if (text.startsWith("/*", position)) {
        comment(end("*/", 2));
      } else if (text.startsWith("\"\"\"", position)) {
        quote("\"\"\"");
      } else if (text.charAt(position) == '"') {
        quote("\"");
      } else if (text.charAt(position) == '\'') {
        quote("'");
      } else {
        code.append(text.charAt(position));
        commented.append(text.charAt(position));
        position++;
      }
    }
  }

  String code() {
    return code.toString();
  }

  String commented() {
    return commented.toString();
  }

  private int end(String mark, int markLength) {
    int found = text.indexOf(mark, position + 2);
    return found < 0 ? text.length() : found + markLength;
  }

  private void comment(int end) {
    commented.append(text, position, end);
    blank(code, end);
    position = end;
  }

  private void quote(String mark) {
    int end = position + mark.length();
    while (end < text.length() && !text.startsWith(mark, end)) {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    end = Math.min(text.length(), end + mark.length());
    blank(code, end);
    blank(commented, end);
    position = end;
  }

  private void blank(StringBuilder view, int end) {
    for (int i = position; i < end; i++) {
      view.append(text.charAt(i) == '\n' ? '\n' : ' ');
    }
  }
}
