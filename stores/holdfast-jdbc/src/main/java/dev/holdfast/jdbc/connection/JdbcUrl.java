package dev.holdfast.jdbc.connection;

import dev.holdfast.spi.support.StoreUrl;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store URL, split into what the driver receives and what Holdfast reads. Immutable.
 *
 * @param driverUrl the URL without our parameters; may contain a password
 * @param shown what messages may show
 * @param options our parameters, by their names without {@code holdfast.}
 */
public record JdbcUrl(String driverUrl, String shown, Map<String, String> options) {

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
  public static JdbcUrl of(String url) {
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
    return new JdbcUrl(rest, StoreUrl.redact(rest), Map.copyOf(ours));
  }

  /** Returns whether the driver's part sets this parameter. */
  public boolean sets(String parameter) {
    return StoreUrl.parameterNames(driverUrl).contains(parameter.toLowerCase(Locale.ROOT));
  }
}
