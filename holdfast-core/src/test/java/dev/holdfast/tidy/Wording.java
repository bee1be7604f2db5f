package dev.holdfast.tidy;

import static java.util.regex.Pattern.CASE_INSENSITIVE;
import static java.util.regex.Pattern.compile;

import java.util.regex.Pattern;

/** A wording that is not English, or not ours, and what to write instead. */
record Wording(Pattern pattern, String better) {

  /** A phrase in prose; a blank in it matches line breaks, too. */
  static Wording phrase(String regex, String better) {
    return new Wording(
        compile("\\b(?:" + regex.replace(" ", "\\s+") + ")\\b", CASE_INSENSITIVE), better);
  }

  /** As {@link #phrase}, but it matters which letters are large. */
  static Wording exactly(String regex, String better) {
    return new Wording(compile(regex.replace(" ", "\\s+")), better);
  }

  /** A name as a whole. */
  static Wording name(String regex, String better) {
    return new Wording(compile(regex), better);
  }
}
