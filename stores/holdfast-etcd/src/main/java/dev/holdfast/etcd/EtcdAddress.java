package dev.holdfast.etcd;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.StoreUrl;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an {@code etcd://} URL says.
 *
 * @param text the URL without secrets
 * @param hosts each with its port
 * @param tls whether it is {@code etcds://}
 * @param user from the URL
 * @param parameters what stands behind the question mark
 */
record EtcdAddress(
    String text,
    List<String> hosts,
    boolean tls,
    Credentials user,
    Map<String, String> parameters) {

  static final Set<String> SCHEMES = Set.of("etcd", "etcds");

  private static final Set<String> PARAMETERS = Set.of("prefix", "ca", "cert", "key");
  private static final String EXAMPLE = "etcd://host1:2379,host2:2379,host3:2379";
  private static final Pattern URL =
      Pattern.compile("(etcds?)://(?:([^@/?]*)@)?([^@/?]+)/?(?:\\?(.*))?");
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?");
  private static final int PORT = 2379;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_MESSAGE = 64 << 20;

  static EtcdAddress parse(String url) {
    String text = StoreUrl.redact(url);
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw wrong(text, "it should look like " + EXAMPLE);
    }
    boolean tls = matcher.group(1).equals("etcds");
    List<String> hosts = new ArrayList<>();
    for (String host : matcher.group(3).split(",", -1)) {
      hosts.add(host(text, host));
    }
    Map<String, String> parameters = parameters(text, matcher.group(4));
    if (!tls && !Set.of("prefix").containsAll(parameters.keySet())) {
      throw wrong(text, "ca, cert and key go with etcds://");
    }
    if (parameters.containsKey("cert") != parameters.containsKey("key")) {
      throw wrong(text, "cert and key go together");
    }
    return new EtcdAddress(text, hosts, tls, user(matcher.group(2)), parameters);
  }

  EtcdOptions options() {
    String prefix = parameters.get("prefix");
    return prefix == null ? EtcdOptions.defaults() : new EtcdOptions(prefix);
  }

  /** What was given beside the URL counts before what stands in it. */
  Credentials credentials(Credentials given) {
    return new Credentials(
        given.user() == null ? user.user() : given.user(),
        given.password() == null ? user.password() : given.password());
  }

  Members connect() {
    ChannelCredentials security = security();
    return new Members(hosts.stream().map(host -> channel(host, security)).toList(), true);
  }

  private ManagedChannel channel(String host, ChannelCredentials security) {
    try {
      return Grpc.newChannelBuilder(host, security)
          .maxInboundMessageSize(MAX_MESSAGE)
          .disableRetry() // all that is sent again is sent again by us
          .directExecutor() // nothing here waits for anything, so answers need no further thread
          .keepAliveTime(10, TimeUnit.SECONDS)
          .keepAliveTimeout(5, TimeUnit.SECONDS)
          .build();
    } catch (RuntimeException e) { // gRPC has no better name for what is no certificate
      throw wrong(text, "its certificates cannot be used: " + e.getMessage());
    }
  }

  private ChannelCredentials security() {
    if (!tls) {
      return InsecureChannelCredentials.create();
    }
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    try {
      String ca = parameters.get("ca");
      if (ca != null) {
        builder.trustManager(new File(ca));
      }
      String cert = parameters.get("cert");
      String key = parameters.get("key");
      if (cert != null && key != null) {
        builder.keyManager(new File(cert), new File(key));
      }
    } catch (IOException e) {
      throw wrong(text, "its certificates cannot be read: " + e.getMessage());
    }
    return builder.build();
  }

  private static String host(String text, String host) {
    Matcher matcher = HOST.matcher(host);
    if (!matcher.matches()) {
      throw wrong(text, "'" + host + "' is no host; it should look like " + EXAMPLE);
    }
    int port = matcher.group(2) == null ? PORT : Integer.parseInt(matcher.group(2));
    if (port < 1 || port > MAX_PORT) {
      throw wrong(text, "there is no port " + port);
    }
    return matcher.group(1) + ":" + port;
  }

  private static Credentials user(@Nullable String text) {
    if (text == null) {
      return Credentials.none();
    }
    int colon = text.indexOf(':');
    return colon < 0
        ? new Credentials(decoded(text), null)
        : new Credentials(decoded(text.substring(0, colon)), decoded(text.substring(colon + 1)));
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
        throw wrong(text, "unknown parameter '" + name + "'; known are prefix, ca, cert, key");
      }
      parameters.put(name, decoded(parameter.substring(equals + 1)));
    }
    return parameters;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static IllegalArgumentException wrong(String text, String why) {
    return new IllegalArgumentException("store URL '" + text + "': " + why);
  }
}
