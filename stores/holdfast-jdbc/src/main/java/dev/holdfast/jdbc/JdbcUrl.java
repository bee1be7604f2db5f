package dev.holdfast.jdbc;

import dev.holdfast.spi.StoreUrl;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store URL taken apart: what is meant for the driver, and what is meant for us. Immutable.
 *
 * @param driverUrl the URL without our parameters; may hold a password
 * @param shown what messages may show
 * @param options what our parameters say
 */
record JdbcUrl(String driverUrl, String shown, JdbcOptions options) {

  private static final String PREFIX = "holdfast.";
  private static final Pattern OURS =
      Pattern.compile("(?i)([?&;])holdfast\\.([^=&;]*)(?:=([^&;]*))?");

  /**
   * Takes a URL apart.
   *
   * @throws IllegalArgumentException naming the parameter that is wrong
   */
  static JdbcUrl of(String url) {
    JdbcOptions options = JdbcOptions.defaults();
    String rest = url;
    for (Matcher ours = OURS.matcher(rest); ours.find(); ours = OURS.matcher(rest)) {
      options = with(options, ours.group(2), String.valueOf(ours.group(3)));
      boolean last = ours.end() == rest.length();
      // The separator before it goes with it, but a ? before others stays.
      boolean keep = !last && ours.group(1).equals("?");
      rest =
          rest.substring(0, ours.start())
              + (keep ? "?" : "")
              + rest.substring(ours.end() + (keep ? 1 : 0));
    }
    if (rest.matches("(?i)jdbc:h2:mem:(;.*)?")) {
      throw new IllegalArgumentException(
          "malformed store URL '"
              + StoreUrl.redact(rest)
              + "': a database in memory without a name is private to one connection; give it a"
              + " name");
    }
    return new JdbcUrl(rest, StoreUrl.redact(rest), options);
  }

  /** Whether the driver's part sets this parameter. */
  boolean sets(String parameter) {
    return Pattern.compile("(?i)[?&;(,]" + Pattern.quote(parameter) + "=")
        .matcher(driverUrl)
        .find();
  }

  private static JdbcOptions with(JdbcOptions options, String name, String value) {
    return switch (name) {
      case "connections" -> options.connections(number(name, value));
      case "createTables" -> options.createTables(yes(name, value));
      case "linearizable" -> options.linearizable(yes(name, value));
      case "listen" -> options.listen(yes(name, value));
      default ->
          throw new IllegalArgumentException(
              "unknown parameter '"
                  + PREFIX
                  + name
                  + "' in the store URL; known are holdfast.connections, holdfast.createTables,"
                  + " holdfast.linearizable and holdfast.listen");
    };
  }

  private static boolean yes(String name, String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new IllegalArgumentException(PREFIX + name + " must be true or false, not " + value);
  }

  private static int number(String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(PREFIX + name + " must be a number, not " + value, e);
    }
  }
}
