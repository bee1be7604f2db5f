package dev.holdfast.consul;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.TlsFiles;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a {@code consul://} URL.
 *
 * @param url its text contains no secrets
 * @param agents such as {@code http://host:8500}
 * @param prefix what all keys start with
 * @param datacenter empty: that of the agent
 * @param minTtl the shortest ttl of sessions that the servers allow
 * @param headers sent with each request
 * @param files the certificates to trust
 */
record ConsulAddress(
    StoreUrl url,
    List<String> agents,
    String prefix,
    String datacenter,
    Duration minTtl,
    Map<String, String> headers,
    TlsFiles files) {

  static final Set<String> SCHEMES = Set.of("consul", "consuls");
  static final Duration DEFAULT_MIN_TTL = Duration.ofSeconds(10);

  private static final int PORT = 8500;
  private static final int TLS_PORT = 8501;
  private static final Pattern PREFIX =
      Pattern.compile("(?=.{2,64}$)([A-Za-z0-9_-][A-Za-z0-9._-]*/)+");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}|");
  private static final String NAME_WANTED = "a name of letters, digits, - and _";
  // What an HTTP header can carry: the JDK's client would replace characters outside Latin-1.
  private static final Pattern TOKEN = Pattern.compile("[\\x20-\\x7e\\xa0-\\xff]*");

  /**
   * @param given its token is used rather than one in the URL
   */
  static ConsulAddress parse(String text, Credentials given) {
    StoreUrl url =
        StoreUrl.parse(text)
            .knowing("prefix", "datacenter", "namespace", "min-ttl", "ca")
            .withoutPath();
    boolean tls = url.scheme().equals("consuls");
    return new ConsulAddress(
        url,
        url.hosts(tls ? TLS_PORT : PORT).stream()
            .map(host -> (tls ? "https://" : "http://") + host)
            .toList(),
        checked(
            url, "prefix", "holdfast/", PREFIX, "names that each end with a slash, such as app1/"),
        checked(url, "datacenter", "", NAME, NAME_WANTED),
        minTtl(url),
        headers(url, given),
        url.tls(tls, "write consuls://"));
  }

  private static Duration minTtl(StoreUrl url) {
    Duration ttl =
        url.duration("min-ttl", DEFAULT_MIN_TTL, Duration.ofSeconds(1), Duration.ofDays(1));
    if (ttl.toMillisPart() > 0) {
      throw url.malformed("'min-ttl' must be whole seconds, such as 10s");
    }
    return ttl;
  }

  private static Map<String, String> headers(StoreUrl url, Credentials given) {
    Map<String, String> headers = new HashMap<>();
    String token = url.token(given);
    if (token != null && !TOKEN.matcher(token).matches()) {
      throw url.malformed("the token has a character that HTTP cannot carry, such as a line break");
    }
    if (token != null) {
      headers.put("X-Consul-Token", token);
    }
    String namespace = checked(url, "namespace", "", NAME, NAME_WANTED);
    if (!namespace.isEmpty()) {
      headers.put("X-Consul-Namespace", namespace);
    }
    return headers;
  }

  private static String checked(
      StoreUrl url, String name, String otherwise, Pattern pattern, String wanted) {
    String value = url.value(name, otherwise);
    if (!pattern.matcher(value).matches()) {
      throw url.malformed("'" + name + "' must be " + wanted);
    }
    return value;
  }

  /**
   * @return what to trust; null: what the JVM trusts
   */
  @Nullable SSLContext tls() {
    try {
      return files.trusting();
    } catch (IOException | GeneralSecurityException e) {
      throw url.malformed("cannot read certificates from '" + files.ca() + "' (" + e + ")");
    }
  }

  /** Leaves out the token. */
  @Override
  public String toString() {
    return url.toString();
  }
}
