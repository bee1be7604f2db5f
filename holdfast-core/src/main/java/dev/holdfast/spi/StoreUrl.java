package dev.holdfast.spi;

import java.util.regex.Pattern;

/** Store URLs as messages and logs may show them. */
public final class StoreUrl {

  // user:password@ after the slashes; a bare secret before @; and secrets among the parameters.
  private static final Pattern USER_INFO = Pattern.compile("(?<=//)([^/@?#]*):([^/?#]*)@");
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([?&;][^=&;]*(?:password|passwd|pwd|secret|token|key)[^=&;]*=)[^&;]*");

  private StoreUrl() {}

  /** The URL with every password in it replaced by {@code ***}. */
  public static String redact(String url) {
    String withoutUser = USER_INFO.matcher(url).replaceAll("$1:***@");
    return PARAMETER.matcher(withoutUser).replaceAll("$1***");
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
