package dev.holdfast.jdbc;

import dev.holdfast.spi.support.StoreUrl;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
  private static final Pattern PRIVATE = Pattern.compile("(?i)jdbc:h2:mem:(;.*)?");

  // PostgreSQL's driver logs a URL that it cannot read, password and all.
  private static final Pattern MISREAD =
      Pattern.compile(
          "^jdbc:postgresql:(?://(?!HOST(?:,HOST)*/|/)|.*%(?![0-9A-Fa-f]{2}))"
              .replace("HOST", "(?:[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(?::[0-9]{1,5})?"));

  /**
   * Takes a URL apart.
   *
   * @throws IllegalArgumentException naming the parameter that is wrong
   */
  static JdbcUrl of(String url) {
    Map<String, String> ours = new TreeMap<>();
    String rest = url;
    for (Matcher found = OURS.matcher(rest); found.find(); found = OURS.matcher(rest)) {
      if (ours.put(found.group(2), String.valueOf(found.group(3))) != null) {
        throw StoreUrl.malformed(url, "a parameter is given twice");
      }
      boolean last = found.end() == rest.length();
      // The separator before it goes with it, but a ? before others stays.
      boolean keep = !last && found.group(1).equals("?");
      rest =
          rest.substring(0, found.start())
              + (keep ? "?" : "")
              + rest.substring(found.end() + (keep ? 1 : 0));
    }
    UnsafeParameters.check(rest);
    if (PRIVATE.matcher(rest).matches()) {
      throw StoreUrl.malformed(
          url, "a database in memory without a name is private to one connection; give it a name");
    }
    if (MISREAD.matcher(rest).find()) {
      throw StoreUrl.malformed(
          url,
          "PostgreSQL's driver takes host[:port][,host…]/database, user and password as parameters,"
              + " and %25 for a plain %");
    }
    return new JdbcUrl(rest, StoreUrl.redact(rest), options(url, ours));
  }

  /** Whether the driver's part sets this parameter. */
  boolean sets(String parameter) {
    return StoreUrl.parameterNames(driverUrl).contains(parameter.toLowerCase(Locale.ROOT));
  }

  private static JdbcOptions options(String url, Map<String, String> ours) {
    JdbcOptions options = JdbcOptions.defaults();
    for (Map.Entry<String, String> one : ours.entrySet()) {
      try {
        options = with(options, one.getKey(), one.getValue());
      } catch (IllegalArgumentException e) {
        throw StoreUrl.malformed(url, String.valueOf(e.getMessage()));
      }
    }
    return options;
  }

  private static JdbcOptions with(JdbcOptions options, String name, String value) {
    return switch (name) {
      case "connections" -> options.connections(number(name, value));
      case "create-tables" -> options.createTables(yes(name, value));
      case "linearizable" -> options.linearizable(yes(name, value));
      case "listen" -> options.listen(yes(name, value));
      default ->
          throw new IllegalArgumentException(
              StoreUrl.unknown(
                  name, PREFIX, Set.of("connections", "create-tables", "linearizable", "listen")));
    };
  }

  private static boolean yes(String name, String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new IllegalArgumentException("'" + PREFIX + name + "' must be true or false");
  }

  private static int number(String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + PREFIX + name + "' must be a number", e);
    }
  }
}
