package dev.holdfast.spi;

import java.util.regex.Pattern;

/** Store URLs as messages and logs may show them. */
public final class StoreUrl {

  private static final String SECRET = "[^=]*(?:password|passwd|pwd|secret|token|key)[^=]*=)";
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([?&;]" + SECRET.replace("[^=]", "[^=&;]") + "[^&;]*");
  private static final Pattern LISTED =
      Pattern.compile("(?i)([(,]" + SECRET.replace("[^=]", "[^=(,)]") + "[^),]*");

  private StoreUrl() {}

  /**
   * The URL with every password in it replaced by {@code ***}. Where it is not plain what is a
   * secret and what is not, it counts as one.
   */
  public static String redact(String url) {
    String parameters = PARAMETER.matcher(redactUser(url)).replaceAll("$1***");
    return LISTED.matcher(parameters).replaceAll("$1***");
  }

  // A password may hold any character, so everything up to the last @ may belong to it.
  private static String redactUser(String url) {
    int start = url.indexOf("//") + 2;
    int at = url.lastIndexOf('@');
    if (start < 2 || at < start) {
      return url;
    }
    int colon = url.indexOf(':', start);
    boolean named = colon >= 0 && colon < url.indexOf('@', start);
    String user = named ? url.substring(start, colon + 1) : "";
    return url.substring(0, start) + user + "***" + url.substring(at);
  }

  /** The scheme: what stands before the first colon, or the second for {@code jdbc:}. */
  public static String scheme(String url) {
    int colon = url.indexOf(':');
    if (colon > 0 && url.startsWith("jdbc:")) {
      colon = url.indexOf(':', colon + 1);
    }
    return colon < 0 ? "" : url.substring(0, colon);
  }
}
