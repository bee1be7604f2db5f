package dev.holdfast.spi.support;

import dev.holdfast.Finding;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a diagnosis says of a server's version. */
public final class ServerVersion {

  private static final Pattern FORMAT = Pattern.compile("(\\d+)\\.(\\d+).*");

  private ServerVersion() {}

  /**
   * @param server its name, for messages
   * @param version what the server reports
   * @param major together with the minor number: the oldest version that is tested
   */
  public static Finding finding(String server, String version, int major, int minor) {
    Matcher matcher = FORMAT.matcher(version);
    if (!matcher.matches()) {
      return Finding.warning(server + " reports the unknown version '" + version + "'");
    }
    int newer = Integer.compare(Integer.parseInt(matcher.group(1)), major);
    return newer < 0 || (newer == 0 && Integer.parseInt(matcher.group(2)) < minor)
        ? Finding.warning(
            "%s %s is older than any version tested with Holdfast; use %d.%d or later"
                .formatted(server, version, major, minor))
        : Finding.ok(server + " " + version);
  }
}
