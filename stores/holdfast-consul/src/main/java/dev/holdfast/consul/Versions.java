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
    return Finding.ok("Consul " + version);
  }
}
