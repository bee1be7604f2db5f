package dev.holdfast.consul;

import dev.holdfast.Finding;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is known of versions of Consul. */
final class Versions {

  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");

  private Versions() {}

  static Finding finding(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      return Finding.warning("Consul has the version '" + version + "', which says nothing");
    }
    int number = 0;
    for (int i = 1; i <= 3; i++) {
      number = number * 1_000 + Integer.parseInt(matcher.group(i));
    }
    if (number >= 1_004_000 && number < 1_005_001) {
      return Finding.warning(
          "Consul "
              + version
              + ": a token with a rule for any prefix can delete any key, locks included"
              + " (Consul issue 5888); use 1.5.1 or later");
    }
    return number < 1_008_000
        ? Finding.warning("Consul " + version + " is older than any that Holdfast was tested with")
        : Finding.ok("Consul " + version);
  }
}
