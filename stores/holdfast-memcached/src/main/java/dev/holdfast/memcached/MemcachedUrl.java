package dev.holdfast.memcached;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code memcached://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][?prefix=TEXT][&ca=FILE]}, or {@code
 * memcacheds://} with TLS.
 *
 * @param servers without doubles
 * @param credentials where the URL has them
 * @param tls whether to speak TLS
 * @param ca a file with the certificates to trust, in PEM; null: those that Java trusts
 * @param prefix of all keys
 */
record MemcachedUrl(
    List<Address> servers,
    Credentials credentials,
    boolean tls,
    @Nullable String ca,
    String prefix) {

  static final String PLAIN = "memcached";
  static final String TLS = "memcacheds";

  private static final Set<String> PARAMETERS = Set.of("prefix", "ca");
  private static final Pattern COMMA = Pattern.compile(",");
  private static final Pattern AMPERSAND = Pattern.compile("&");

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException saying what would be right; never with the password
   */
  static MemcachedUrl parse(String url) {
    try {
      return parts(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(StoreUrl.redact(url) + ": " + e.getMessage());
    }
  }

  private static MemcachedUrl parts(String url) {
    boolean tls = StoreUrl.scheme(url).equals(TLS);
    String start = (tls ? TLS : PLAIN) + "://";
    if (!url.startsWith(start)) {
      throw new IllegalArgumentException("it must start with " + start);
    }
    String rest = url.substring(start.length());
    int at = rest.lastIndexOf('@');
    Credentials credentials = at < 0 ? Credentials.none() : credentials(rest.substring(0, at));
    String place = rest.substring(at + 1);
    int query = place.indexOf('?');
    Map<String, String> parameters = query < 0 ? Map.of() : parameters(place.substring(query + 1));
    String ca = parameters.get("ca");
    if (ca != null && !tls) {
      throw new IllegalArgumentException("ca is for " + TLS + "://, which speaks TLS");
    }
    return new MemcachedUrl(
        servers(query < 0 ? place : place.substring(0, query)),
        credentials,
        tls,
        ca,
        parameters.getOrDefault("prefix", Keys.DEFAULT_PREFIX));
  }

  private static Credentials credentials(String text) {
    int colon = text.indexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("before the @ there must be USER:PASSWORD");
    }
    return new Credentials(decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
  }

  private static List<Address> servers(String text) {
    List<Address> servers = new ArrayList<>();
    for (String part : COMMA.split(text, -1)) {
      Address address = Address.parse(part);
      if (servers.contains(address)) {
        throw new IllegalArgumentException(address + " is named twice");
      }
      servers.add(address);
    }
    return List.copyOf(servers);
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new HashMap<>();
    for (String parameter : AMPERSAND.split(query, -1)) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      if (equals < 0 || !PARAMETERS.contains(name)) {
        throw new IllegalArgumentException(
            "unknown parameter '" + name + "'; there are prefix, ca");
      }
      if (parameters.put(name, decode(parameter.substring(equals + 1))) != null) {
        throw new IllegalArgumentException("parameter '" + name + "' is given twice");
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Without user and password. */
  @Override
  public String toString() {
    return (tls ? TLS : PLAIN)
        + "://"
        + String.join(",", servers.stream().map(Address::toString).toList());
  }
}
