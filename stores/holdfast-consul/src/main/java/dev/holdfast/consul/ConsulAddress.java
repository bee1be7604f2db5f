package dev.holdfast.consul;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.StoreUrl;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code consul://} URL says.
 *
 * @param text the URL without secrets
 * @param agents as in {@code http://host:8500}
 * @param token the ACL token in it, if any
 * @param parameters what stands behind the question mark
 */
record ConsulAddress(
    String text, List<String> agents, @Nullable String token, Map<String, String> parameters) {

  static final Set<String> SCHEMES = Set.of("consul", "consuls");

  private static final Set<String> PARAMETERS =
      new TreeSet<>(Set.of("prefix", "datacenter", "namespace", "min-ttl", "ca"));
  private static final String EXAMPLE = "consul://host:8500";
  private static final Pattern URL =
      Pattern.compile("(consuls?)://(?::([^@/?]*)@)?([^@/?]+)/?(?:\\?(.*))?");
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?");
  private static final Pattern PREFIX =
      Pattern.compile("(?=.{2,64}$)([A-Za-z0-9_-][A-Za-z0-9._-]*/)+");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern SECONDS = Pattern.compile("([0-9]{1,5})s");
  // What HTTP can carry in a header; what is no letter of Latin-1 would come out as another one.
  private static final Pattern TOKEN = Pattern.compile("[\\x20-\\x7e\\xa0-\\xff]*");
  private static final int MAX_PORT = 65_535;

  static ConsulAddress parse(String url) {
    String text = StoreUrl.redact(url);
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw wrong(text, "it should look like " + EXAMPLE);
    }
    boolean tls = matcher.group(1).equals("consuls");
    List<String> agents = new ArrayList<>();
    for (String host : matcher.group(3).split(",", -1)) {
      agents.add(agent(text, host, tls));
    }
    Map<String, String> parameters = parameters(text, matcher.group(4));
    if (!tls && parameters.containsKey("ca")) {
      throw wrong(text, "ca goes with consuls://");
    }
    String token = matcher.group(2) == null ? null : decoded(text, "the token", matcher.group(2));
    return new ConsulAddress(text, agents, token, parameters);
  }

  /** What all keys start with. */
  String prefix() {
    return checked("prefix", "holdfast/", PREFIX, "names, each with a slash behind it: app1/");
  }

  /** Empty: that of the agent. */
  String datacenter() {
    return checked("datacenter", "", NAME, "a name of letters, digits, - and _");
  }

  /** The shortest ttl of sessions, where the servers are set up for less than the usual 10 s. */
  Duration minTtl() {
    String seconds = checked("min-ttl", "10s", SECONDS, "seconds: 10s");
    return Duration.ofSeconds(
        Math.max(1, Long.parseLong(seconds.substring(0, seconds.length() - 1))));
  }

  /** What each request says; a token that was given beside the URL counts before the one in it. */
  Map<String, String> headers(Credentials given) {
    Map<String, String> headers = new HashMap<>();
    String secret = given.password() == null ? token : given.password();
    if (secret != null && !TOKEN.matcher(secret).matches()) {
      throw wrong(text, "the token has a character that HTTP cannot carry, such as a line break");
    }
    if (secret != null) {
      headers.put("X-Consul-Token", secret);
    }
    String namespace = checked("namespace", "", NAME, "a name of letters, digits, - and _");
    if (!namespace.isEmpty()) {
      headers.put("X-Consul-Namespace", namespace);
    }
    return headers;
  }

  /** Whom to trust, if not those that the JVM trusts. */
  @Nullable SSLContext tls() {
    String file = parameters.get("ca");
    if (file == null) {
      return null;
    }
    try (InputStream in = Files.newInputStream(Path.of(file))) {
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
      throw new IllegalArgumentException(
          "cannot read certificates from '" + file + "' (" + e + ")", e);
    }
  }

  private String checked(String name, String unlessGiven, Pattern pattern, String wanted) {
    String value = parameters.get(name);
    if (value == null) {
      return unlessGiven;
    }
    if (!pattern.matcher(value).matches()) {
      throw wrong(text, name + " '" + value + "' must be " + wanted);
    }
    return value;
  }

  private static String agent(String text, String host, boolean tls) {
    Matcher matcher = HOST.matcher(host);
    if (!matcher.matches()) {
      throw wrong(text, "'" + host + "' is no host; it should look like " + EXAMPLE);
    }
    int usual = tls ? 8501 : 8500;
    int port = matcher.group(2) == null ? usual : Integer.parseInt(matcher.group(2));
    if (port < 1 || port > MAX_PORT) {
      throw wrong(text, "there is no port " + port);
    }
    return (tls ? "https://" : "http://") + matcher.group(1) + ":" + port;
  }

  private static Map<String, String> parameters(String text, @Nullable String query) {
    Map<String, String> parameters = new HashMap<>();
    if (query == null || query.isEmpty()) {
      return parameters;
    }
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      if (equals < 0 || !PARAMETERS.contains(name)) {
        throw wrong(
            text, "unknown parameter '" + name + "'; known are " + String.join(", ", PARAMETERS));
      }
      parameters.put(name, decoded(text, name, parameter.substring(equals + 1)));
    }
    return parameters;
  }

  private static String decoded(String text, String name, String encoded) {
    try {
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException quotesIt) { // and it may be a secret
      throw wrong(text, name + " is not percent-encoded as it should be");
    }
  }

  private static IllegalArgumentException wrong(String text, String why) {
    return new IllegalArgumentException("store URL '" + text + "': " + why);
  }
}
