package dev.holdfast.zookeeper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * What a store URL says after its question mark.
 *
 * @param secure whether TLS is used
 * @param creatorOnly whether nodes are open to their creator only; null where it was not said
 * @param ca a file of certificates (PEM) to trust; null for those of the JVM
 * @param identity a file with the client's certificate and key (PEM); null for none
 */
record Parameters(
    Duration sessionTimeout,
    boolean secure,
    @Nullable Boolean creatorOnly,
    @Nullable Path ca,
    @Nullable Path identity) {

  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final String NAMES = "parameters are sessionTimeout, acl, ca and identity";

  static Parameters parse(String query, boolean secure) {
    Parameters found =
        new Parameters(ZooKeeperAddress.DEFAULT_SESSION_TIMEOUT, secure, null, null, null);
    for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(NAMES);
      }
      found = found.with(parameter.substring(0, equals), parameter.substring(equals + 1));
    }
    if (!secure && (found.ca != null || found.identity != null)) {
      throw new IllegalArgumentException("ca and identity go with zookeepers://");
    }
    return found;
  }

  private Parameters with(String name, String value) {
    return switch (name) {
      case "sessionTimeout" -> new Parameters(duration(value), secure, creatorOnly, ca, identity);
      case "acl" -> new Parameters(sessionTimeout, secure, creatorOnly(value), ca, identity);
      case "ca" -> new Parameters(sessionTimeout, secure, creatorOnly, file(name, value), identity);
      case "identity" -> new Parameters(sessionTimeout, secure, creatorOnly, ca, file(name, value));
      default -> throw new IllegalArgumentException(NAMES);
    };
  }

  private static Duration duration(String value) {
    Matcher matcher = DURATION.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a sessionTimeout looks like 1500ms, 40s or 2m");
    }
    long number = Long.parseLong(matcher.group(1));
    Duration timeout =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        };
    if (timeout.toMillis() < 100 || timeout.toMillis() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("sessionTimeout must lie between 100 ms and 24 days");
    }
    return timeout;
  }

  private static boolean creatorOnly(String value) {
    return switch (value) {
      case "creator" -> true;
      case "open" -> false;
      default -> throw new IllegalArgumentException("acl is creator or open");
    };
  }

  private static Path file(String name, String value) {
    Path file = Path.of(value);
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(name + ": cannot read the file " + value);
    }
    return file;
  }

  boolean verifiesHosts() {
    return clientConfig().getBoolean("zookeeper.ssl.hostnameVerification", true);
  }

  /** What system properties say, and TLS on top of it if it was asked for. */
  ZKClientConfig clientConfig() {
    ZKClientConfig config = new ZKClientConfig();
    // The deletion of a held node must be reported over a reconnection too.
    config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "false");
    if (secure) {
      config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
      config.setProperty(
          ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
    }
    if (ca != null) {
      config.setProperty("zookeeper.ssl.trustStore.location", ca.toString());
      config.setProperty("zookeeper.ssl.trustStore.type", "PEM");
    }
    if (identity != null) {
      config.setProperty("zookeeper.ssl.keyStore.location", identity.toString());
      config.setProperty("zookeeper.ssl.keyStore.type", "PEM");
    }
    return config;
  }
}
