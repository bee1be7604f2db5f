package dev.holdfast.tidy;

import static dev.holdfast.tidy.Wording.exactly;
import static dev.holdfast.tidy.Wording.phrase;
import static java.util.regex.Pattern.compile;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Wordings that no English-speaking engineer would use, in comments, messages and pages. */
final class English {

  private static final List<Wording> WORDINGS =
      List.of(
          phrase(
              "who(?:so)?ever", "name the subject: the process that, a user who, any client that"),
          exactly("\\bWho (?![^.|]*\\?)", "name the subject: a claim that, the client that"),
          phrase("somebody (?:who|that)", "name the subject: a process that, a user who"),
          phrase("anew", "use 'again', or say what is new"),
          phrase("so many", "use 'that many', 'n' or 'too many'"),
          phrase("so long(?! as)", "use 'for that time', 'until then' or 'too long'"),
          phrase("till", "use 'until'"),
          phrase("by when", "use 'the deadline'"),
          phrase("heard of", "use 'confirmed', 'answered' or 'known'"),
          phrase(
              "(?:is|are|was|were|be|been|being) told", "use 'is notified', 'learns', 'receives'"),
          phrase(
              "of (?:its|their|his|our|your|my) own", "use 'its own …', 'separate', 'dedicated'"),
          phrase(
              "let(?:s|ting)? (?:\\w+ ){0,3}?in(?! between)",
              "use 'grant' for claims, 'accept' for requests"),
          phrase("turn(?:s|ed|ing)? (?:\\w+ )?away", "use 'refuse', 'reject' or 'evict'"),
          phrase("any threads", "use 'Thread-safe.'"),
          phrase("strange answers?", "use 'unexpected reply from …'"),
          phrase("how manieth", "use 'sequence number'"),
          phrase("coming and going", "use 'contention'"),
          phrase("come to (?:its|their) turn", "use 'still queued behind …'"),
          phrase("bad news", "use 'failure'"),
          phrase("is no (?:host|port|url|name|number|file|folder)", "use 'is not a valid …'"),
          phrase("cannot keep a lock", "use 'does not support …'"),
          phrase("left out of the list", "use 'skipping …'"),
          phrase(
              "graves?|graveyards?|burials?|bur(?:y|ies|ied)|mourn\\w*",
              "use 'tombstone': a metaphor must be the field's own"),
          phrase("turnstiles?|vigils?|lookouts?", "name it as VOCABULARY does: limiter, wake-ups"));

  // One pass over a file, as most have nothing; only then one for each wording.
  private static final Pattern ANY =
      compile(
          WORDINGS.stream()
              .map(Wording::pattern)
              .map(pattern -> (pattern.flags() == 0 ? "(?:" : "(?i:") + pattern + ")")
              .collect(Collectors.joining("|", "\\b(?:", ")")));

  private English() {}

  /** What to write instead in this sentence, for each wording in it. */
  static Stream<String> better(String sentence) {
    return WORDINGS.stream()
        .filter(wording -> wording.pattern().matcher(sentence).find())
        .map(Wording::better);
  }

  static Stream<String> findings(Source source) {
    String prose = source.prose();
    return ANY.matcher(prose).find()
        ? WORDINGS.stream()
            .flatMap(wording -> source.found(wording.pattern(), prose, wording.better()))
        : Stream.empty();
  }
}
