package dev.holdfast.spi;

import dev.holdfast.Finding;
import java.util.Collection;
import java.util.Locale;

/** How a store's connections are protected on their way, for {@link LockStore#diagnose}. */
public enum Encryption {
  /** Not at all. */
  NONE,
  /** By TLS, but an attacker on the network could pose as the store. */
  UNVERIFIED,
  /** By TLS with a certificate that names the host. */
  VERIFIED;

  /** What connections do that have, or do not have, TLS with its usual checks. */
  public static Encryption of(boolean tls) {
    return tls ? VERIFIED : NONE;
  }

  /**
   * What the doctor reports. Connections that do not leave this host need no protection; the hosts'
   * names alone decide which do, their addresses are not resolved.
   *
   * @param hosts as they are connected to, with a port or without; none if they cannot leave it
   * @param remedy what to do for the best protection: {@code use rediss://}
   */
  public Finding finding(Collection<String> hosts, String remedy) {
    boolean loopback = hosts.stream().allMatch(Encryption::isLoopback);
    return switch (this) {
      case VERIFIED -> Finding.ok("connections are encrypted, and the host's name is verified");
      case UNVERIFIED ->
          loopback
              ? Finding.ok("connections are encrypted, and do not leave this host (loopback)")
              : Finding.warning(
                  "connections are encrypted, but the host's name is not verified: an attacker on"
                      + " the network can pose as the store; "
                      + remedy);
      case NONE ->
          loopback
              ? Finding.ok("connections are not encrypted, and do not leave this host (loopback)")
              : Finding.warning(
                  "connections are not encrypted: an attacker on the network can read passwords,"
                      + " and acquire and break locks; "
                      + remedy);
    };
  }

  private static boolean isLoopback(String address) {
    String host = address.toLowerCase(Locale.ROOT);
    if (host.startsWith("[")) {
      host = host.substring(1, Math.max(1, host.indexOf(']')));
    } else if (host.indexOf(':') == host.lastIndexOf(':') && host.indexOf(':') >= 0) {
      host = host.substring(0, host.indexOf(':'));
    }
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || host.matches("127(\\.\\d{1,3}){3}")
        || host.matches("(0{0,4}:){1,7}0{0,3}1");
  }
}
