package dev.holdfast.etcd;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.StoreUrl.Host;
import dev.holdfast.spi.support.TlsFiles;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The contents of an {@code etcd://} URL.
 *
 * @param url without secrets in its text
 * @param hosts each with its port
 * @param login user and password
 * @param isTls whether it is {@code etcds://}
 * @param tls the files for it
 */
record EtcdAddress(
    StoreUrl url, List<String> hosts, Credentials login, boolean isTls, TlsFiles tls) {

  static final Set<String> SCHEMES = Set.of("etcd", "etcds");

  private static final int PORT = 2379;
  private static final int MAX_MESSAGE = 64 << 20;

  /** Credentials that are given beside the URL take precedence over those in it. */
  static EtcdAddress parse(String text, Credentials given) {
    StoreUrl url =
        StoreUrl.parse(text).knowing("prefix", "ca", "cert", "key", "key-password").withoutPath();
    boolean tls = url.scheme().equals("etcds");
    return new EtcdAddress(
        url,
        url.hosts(PORT).stream().map(Host::toString).toList(),
        url.userAndPassword(given),
        tls,
        url.tls(tls, "write etcds://"));
  }

  Channels connect() {
    ChannelCredentials security = security();
    return new Channels(hosts.stream().map(host -> channel(host, security)).toList(), true);
  }

  private ManagedChannel channel(String host, ChannelCredentials security) {
    try {
      return Grpc.newChannelBuilder(host, security)
          .maxInboundMessageSize(MAX_MESSAGE)
          .disableRetry() // all repetition is ours
          .directExecutor() // answers never block, so they need no further thread
          .keepAliveTime(10, TimeUnit.SECONDS)
          .keepAliveTimeout(5, TimeUnit.SECONDS)
          .build();
    } catch (RuntimeException e) { // gRPC has no better type for an unusable certificate
      throw url.malformed("its certificates cannot be used: " + e.getMessage());
    }
  }

  private ChannelCredentials security() {
    if (!isTls) {
      return InsecureChannelCredentials.create();
    }
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    try {
      Path ca = tls.ca();
      if (ca != null) {
        builder.trustManager(ca.toFile());
      }
      Path cert = tls.cert();
      Path key = tls.key();
      if (cert != null && key != null) {
        builder.keyManager(cert.toFile(), key.toFile(), tls.keyPassword());
      }
    } catch (IOException e) {
      throw url.malformed("its certificates cannot be read: " + e.getMessage());
    }
    return builder.build();
  }
}
