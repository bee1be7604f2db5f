package dev.holdfast.spi.support;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * A search finds names and separators in the decoded text, so that an escape hides nothing from
 * it. Where a value ends is decided by separators that are not escaped: an escaped one belongs to
 * the value.
 */

/** The parts of a text that must not be shown. Confined to one call. */
final class Redaction {

  static final String HIDDEN = "***";

  private static final String SECRET = "password|passwd|pwd|passphrase|secret|token|credential";
  private static final Pattern PARAMETER =
      Pattern.compile("[?&;(,\\s]\\s*([^=?&;(),\\s]*(?:" + SECRET + "|key)[^=?&;(),\\s]*)\\s*=");
  private static final Pattern SURELY = Pattern.compile(SECRET);
  private static final Pattern NO_USER_INFO =
      Pattern.compile("(?:memory|(?:jdbc:)?sqlite|jdbc:h2):.*");

  /** A colon, not within brackets, and no number behind it. */
  private static final Pattern WRONG_PORT =
      Pattern.compile(":(?![^\\[\\]]*])(?![0-9]{0,5}(?:[,/?;#(]|$))");

  /** One part: from, up to and excluding. A known one is a secret wherever it appears. */
  record Part(int from, int to, boolean known) {}

  private final String original;
  private final Decoded decoded;
  private final List<Part> parts = new ArrayList<>();

  private Redaction(String original) {
    this.original = original;
    this.decoded = Decoded.of(original);
  }

  /** What to hide in a URL. Where it is not plain what is a secret, it counts as one. */
  static Redaction ofUrl(String url) {
    Redaction redaction = new Redaction(url);
    redaction.findUser();
    redaction.findParameters();
    return redaction;
  }

  /**
   * What to hide in a message.
   *
   * @param secrets in the form of {@link Decoded#text}
   */
  static Redaction ofText(String text, List<String> secrets) {
    Redaction redaction = new Redaction(text);
    redaction.findUsers();
    redaction.findParameters();
    secrets.forEach(redaction::find);
    return redaction;
  }

  /** The text without its secrets. */
  String text() {
    StringBuilder text = new StringBuilder();
    int shown = 0;
    parts.sort(Comparator.comparingInt(Part::from).thenComparingInt(Part::to));
    for (Part part : parts) {
      if (part.from >= shown) {
        text.append(original, shown, part.from).append(HIDDEN);
      }
      shown = Math.max(shown, part.to);
    }
    return text.append(original, shown, original.length()).toString();
  }

  /** The secrets that are known to be some, as they are written. */
  List<String> known() {
    return parts.stream()
        .filter(Part::known)
        .map(part -> original.substring(part.from, part.to))
        .toList();
  }

  // A password may hold any character, so everything up to the last @ may belong to it.
  private void findUser() {
    String text = decoded.text();
    int at = lastAt();
    int slashes = text.indexOf("//");
    if (slashes >= 0 && (at < 0 || slashes < at)) {
      if (at >= 0) {
        hideUser(slashes + 2, at);
      } else {
        findMisplaced(slashes + 2);
      }
    } else if (text.indexOf('@') >= 0 && !NO_USER_INFO.matcher(text).matches()) {
      String scheme = StoreUrl.scheme(text);
      boolean shown = !scheme.isEmpty() && scheme.indexOf('@') < 0;
      hide(shown ? scheme.length() + 1 : 0, at < 0 ? text.length() : at, true);
    }
  }

  private int lastAt() {
    int at = decoded.text().length() - 1;
    while (at >= 0 && !decoded.isPlain(at, "@")) {
      at--;
    }
    return at;
  }

  private void hideUser(int start, int at) {
    int colon = next(start, ":");
    // Without a password behind the colon, the name may be a token.
    boolean named = colon + 1 < at && colon < next(start, "@");
    hide(named ? colon + 1 : start, at, named);
  }

  // An escaped @ among the hosts, or a port that is none: a password without what belongs to it.
  private void findMisplaced(int start) {
    int end = decoded.text().length();
    int hosts = next(start, "/?;#");
    int at = decoded.text().indexOf('@', start);
    if (at >= 0 && at < hosts) {
      hide(start, end, true);
      return;
    }
    Matcher port = WRONG_PORT.matcher(decoded.text()).region(start, end);
    if (port.find() && port.start() < hosts) {
      hide(port.start() + 1, end, true);
    }
  }

  // A message has other words around its URLs.
  private void findUsers() {
    String text = decoded.text();
    for (int slashes = text.indexOf("//");
        slashes >= 0;
        slashes = text.indexOf("//", slashes + 2)) {
      int end = slashes;
      int at = -1;
      while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
        at = text.charAt(end) == '@' ? end : at;
        end++;
      }
      if (at >= 0) {
        hideUser(slashes + 2, at);
      }
    }
  }

  private void findParameters() {
    Matcher matcher = PARAMETER.matcher(decoded.lowerCase());
    boolean driver = original.startsWith("jdbc:") || original.startsWith("sqlite:");
    for (int next = 0; matcher.find(next); next = matcher.end()) {
      String name = matcher.group(1);
      if (name.equals("key") && !driver) {
        continue; // a file
      }
      boolean list = "(,".indexOf(decoded.text().charAt(matcher.start())) >= 0;
      int end = valueEnd(matcher.end(), list ? ")," : "&;");
      hide(matcher.end(), end, SURELY.matcher(name).find());
    }
  }

  // A piece without a name behind it is the rest of a value with a separator in it.
  private int valueEnd(int start, String separators) {
    int end = next(start, separators);
    while (end < decoded.text().length() && !decoded.isPlain(end, ")")) {
      int after = next(end + 1, separators);
      String piece = decoded.text().substring(end + 1, after);
      if (piece.isEmpty() || piece.indexOf('=') >= 0) {
        return end;
      }
      end = after;
    }
    return end;
  }

  private int next(int start, String separators) {
    int end = start;
    while (end < decoded.text().length() && !decoded.isPlain(end, separators)) {
      end++;
    }
    return end;
  }

  private void find(String secret) {
    String text = decoded.text();
    for (int i = text.indexOf(secret); i >= 0; i = text.indexOf(secret, i + 1)) {
      hide(i, i + secret.length(), true);
    }
  }

  private void hide(int start, int end, boolean known) {
    parts.add(
        new Part(
            decoded.start(start),
            start == end ? decoded.start(start) : decoded.end(end - 1),
            known));
  }
}
