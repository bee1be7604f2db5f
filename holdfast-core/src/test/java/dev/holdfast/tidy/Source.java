package dev.holdfast.tidy;

import static java.util.regex.Pattern.compile;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One text file of the repository.
 *
 * @param path from the root, with slashes
 * @param text all of it
 * @param code as text, but with blanks instead of comments and of what stands in quotes; only for
 *     Java
 * @param commented as text, but with blanks instead of what stands in quotes; only for Java
 */
record Source(String path, String text, String code, String commented) {

  private static final Pattern MARKS = compile("(?m)^ *(?:/\\*\\*?|\\*/?|//|--|#|>)(?= |$)|\"");

  static Source of(String path, String text) {
    if (!path.endsWith(".java")) {
      return new Source(path, text, text, text);
    }
    JavaText parts = new JavaText(text);
    return new Source(path, text, parts.code(), parts.commented());
  }

  boolean isJava() {
    return path.endsWith(".java");
  }

  boolean isMain() {
    return path.contains("src/main/");
  }

  /** Also the published test kit: what it does, it does in tests. */
  boolean isTest() {
    return path.contains("src/test/") || path.startsWith("holdfast-testkit/");
  }

  /** Runs inside other people's programs. */
  boolean isLibrary() {
    return isMain()
        && (path.startsWith("holdfast-core/")
            || path.startsWith("holdfast-testkit/")
            || path.startsWith("stores/"));
  }

  /** The folder of its POM; {@code docs} and the like for what belongs to no module. */
  String module() {
    int end = path.indexOf("/src/");
    return end >= 0 ? path.substring(0, end) : path.substring(0, Math.max(0, path.indexOf('/')));
  }

  String packageName() {
    return folder().substring(folder().indexOf("/java/") + 6).replace('/', '.');
  }

  /** Comments and what stands in quotes, without the marks of either; of a page, all of it. */
  String prose() {
    StringBuilder prose =
        new StringBuilder(
            MARKS.matcher(text).replaceAll(mark -> " ".repeat(mark.group().length())));
    for (int i = 0; isJava() && i < code.length(); i++) {
      if (!Character.isWhitespace(code.charAt(i)) && code.charAt(i) != '+') {
        prose.setCharAt(i, '\0');
      } else if (code.charAt(i) == '+') {
        prose.setCharAt(i, ' '); // a sentence in two quotes stays one
      }
    }
    return prose.toString();
  }

  String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  String folder() {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  long lines() {
    return text.lines().count();
  }

  /** Where the pattern is found in some view of this file: {@code path:line: advice}. */
  Stream<String> found(Pattern pattern, String view, String advice) {
    return pattern
        .matcher(view)
        .results()
        .map(match -> at(match.start()) + ": '" + match.group().strip() + "': " + advice);
  }

  String at(int index) {
    return path + ":" + (1 + text.substring(0, index).chars().filter(c -> c == '\n').count());
  }

  Matcher matcher(Pattern pattern) {
    return pattern.matcher(code);
  }
}
