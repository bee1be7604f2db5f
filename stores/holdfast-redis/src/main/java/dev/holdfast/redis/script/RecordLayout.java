package dev.holdfast.redis.script;

import dev.holdfast.spi.Tokens;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where the fields of a record are, for the scripts that cut them out: a cut at a known position
 * costs a tenth of matching a pattern. The Lua sources name the fields, and the numbers are filled
 * in when a script is assembled, so the names cost the server nothing:
 *
 * <pre>
 * {ALONE.LAST}           22, 37            the first and last character of a field
 * {ALONE.LAST .. EXPIRY} 22, 54            from one field to another
 * {ALONE.FROM_LAST}      22                where a field begins
 * {ALONE.ID}             56                where a field of any length begins
 * {CLAIM.TTL + at}       at, at + 13       the field of a claim that begins at this position
 * {FREE.LENGTH}          37                the length of a whole record
 * {EXPIRY.STEP}          600000000         other numbers that several files share
 * </pre>
 */
final class RecordLayout {

  /** Digits of times and tokens. */
  static final int NUMBER = 16;

  /** Digits of a ttl. */
  static final int TTL = 14;

  private static final Map<String, Field> FIELDS = new HashMap<>();

  static {
    define("FREE", "SHAPE:3+ LAST:16 EXPIRY:16");
    define("ALONE", "SHAPE:3+ ARMED:16 LAST:16 EXPIRY:16 ID");
    define("PAIR", "SHAPE:3+ ARMED:16 LAST:16 EXPIRY:16 NEXT_ARMED:16 NEXT_SINCE:16 SIZE:6 ID");
    define("CLAIM", "TTL:14 WAITING_TTL:14 FLOOR:16 REST");
    // How the rest begins for most claims, not keepable: without spares; and as a whole, for a
    // mutex.
    define("CLAIM", "TTL:14 WAITING_TTL:14 FLOOR:16 SPARES:1+ AFTER_SPARES");
    define("CLAIM", "TTL:14 WAITING_TTL:14 FLOOR:16 MUTEX:11+ CHANNEL");
    FIELDS.put("EXPIRY.MILLIS", new Field(3_600_000, 0));
    FIELDS.put("EXPIRY.STEP", new Field(600_000_000, 0));
    FIELDS.put("SPARES.AHEAD", new Field(Math.toIntExact(Tokens.AHEAD_MICROS), 0));
  }

  private static final Pattern NAME =
      Pattern.compile("\\{([A-Z]+)\\.([A-Z_]+)(?: \\.\\. ([A-Z_]+)| \\+ (\\w+))?\\}");

  private record Field(int first, int last) {}

  private RecordLayout() {}

  /**
   * @param fields each with its width, which a plus makes include the blank behind the field; one
   *     without a width takes all the rest
   */
  private static void define(String record, String fields) {
    int at = 1;
    for (String field : fields.split(" ", -1)) {
      int colon = field.indexOf(':');
      if (colon < 0) {
        FIELDS.put(record + "." + field, new Field(at, 0));
        return;
      }
      String width = field.substring(colon + 1);
      int end = at + Integer.parseInt(width.replace("+", "")); // the blank
      String name = field.substring(0, colon);
      FIELDS.put(record + "." + name, new Field(at, width.endsWith("+") ? end : end - 1));
      FIELDS.put(record + ".FROM_" + name, new Field(at, 0));
      at = end + 1;
    }
    FIELDS.put(record + ".LENGTH", new Field(at - 2, 0));
  }

  /**
   * @return the script with numbers in place of the names
   * @throws IllegalArgumentException if there is no such field
   */
  static String fillIn(String script) {
    return NAME.matcher(script)
        .replaceAll(
            name -> {
              String record = name.group(1) + ".";
              Field from = field(record + name.group(2));
              Field to = name.group(3) == null ? from : field(record + name.group(3));
              String at = name.group(4);
              String first = at == null ? "" + from.first : plus(at, from.first - 1);
              String last = at == null ? "" + to.last : plus(at, to.last - 1);
              return to.last == 0 ? first : first + ", " + last;
            });
  }

  private static Field field(String name) {
    Field field = FIELDS.get(name);
    if (field == null) {
      throw new IllegalArgumentException("a record has no field " + name);
    }
    return field;
  }

  private static String plus(String at, int offset) {
    return offset == 0 ? at : at + " + " + offset;
  }
}
