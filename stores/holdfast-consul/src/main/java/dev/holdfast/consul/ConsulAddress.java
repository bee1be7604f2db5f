package dev.holdfast.consul;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code consul://} URL says.
 *
 * @param url without secrets in its text
 * @param agents as in {@code http://host:8500}
 * @param prefix what all keys start with
 * @param datacenter empty: that of the agent
 * @param minTtl the shortest ttl of sessions, where the servers are set up for less than the usual
 *     10 s
 * @param headers what each request says
 * @param ca the certificates to trust; null: those that Java trusts
 */
record ConsulAddress(
    StoreUrl url,
    List<String> agents,
    String prefix,
    String datacenter,
    Duration minTtl,
    Map<String, String> headers,
    @Nullable Path ca) {

  static final Set<String> SCHEMES = Set.of("consul", "consuls");
  static final Duration USUAL_MIN_TTL = Duration.ofSeconds(10);

  private static final int PORT = 8500;
  private static final int TLS_PORT = 8501;
  private static final Pattern PREFIX =
      Pattern.compile("(?=.{2,64}$)([A-Za-z0-9_-][A-Za-z0-9._-]*/)+");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}|");
  private static final String NAME_WANTED = "a name of letters, digits, - and _";
  // What HTTP can carry in a header; what is no letter of Latin-1 would come out as another one.
  private static final Pattern TOKEN = Pattern.compile("[\\x20-\\x7e\\xa0-\\xff]*");

  /** A token that was given beside the URL counts before the one in it. */
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
        checked(url, "prefix", "holdfast/", PREFIX, "names, each with a slash behind it: app1/"),
        checked(url, "datacenter", "", NAME, NAME_WANTED),
        minTtl(url),
        headers(url, given),
        url.tls(tls, "write consuls://").ca());
  }

  private static Duration minTtl(StoreUrl url) {
    Duration ttl =
        url.duration("min-ttl", USUAL_MIN_TTL, Duration.ofSeconds(1), Duration.ofDays(1));
    if (ttl.toMillisPart() > 0) {
      throw url.malformed("'min-ttl' must be whole seconds: 10s");
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

  /** Whom to trust, if not those that the JVM trusts. */
  @Nullable SSLContext tls() {
    if (ca == null) {
      return null;
    }
    try (InputStream in = Files.newInputStream(ca)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry(Integer.toString(trusted.size()), one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    } catch (IOException | GeneralSecurityException e) {
      throw url.malformed("cannot read certificates from '" + ca + "' (" + e + ")");
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return url.toString();
  }
}
