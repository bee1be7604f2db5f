package dev.holdfast.redis.client;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import dev.holdfast.spi.support.TlsFiles;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Makes a Lettuce client for the servers of a URL that fails early instead of queueing. */
public final class ClientFactory {

  private static final int MAX_UNDER_WAY = 100_000;

  // Firewalls drop idle connections, such as the one that listens.
  private static final KeepAliveOptions KEEP_ALIVE =
      KeepAliveOptions.builder()
          .enable()
          .idle(Duration.ofSeconds(30))
          .interval(Duration.ofSeconds(10))
          .count(3)
          .build();

  private final RedisAddress address;
  private final Duration timeout;

  public ClientFactory(RedisAddress address, Duration timeout) {
    this.address = address;
    this.timeout = timeout;
  }

  public ConnectionSource open() {
    SslOptions ssl = ssl(); // before any thread is started: it may fail for a missing file
    SharedThreads threads = SharedThreads.take();
    try {
      return open(ssl, threads);
    } catch (RuntimeException e) {
      threads.release();
      throw e;
    }
  }

  private ConnectionSource open(SslOptions ssl, SharedThreads threads) {
    if (address.scheme().equals("redis-cluster")) {
      RedisClusterClient client = RedisClusterClient.create(threads.resources(), nodes());
      client.setOptions(clusterOptions(ssl));
      return new ClusterServers(
          client, () -> end(client.shutdownAsync(0, 2, TimeUnit.SECONDS), threads));
    }
    RedisClient client = RedisClient.create(threads.resources());
    ClientOptions.Builder options = options(ClientOptions.builder(), ssl);
    // Better to fail at once than at the deadline. Not in a Cluster, where the first command to
    // each
    // node makes its connection and would be refused.
    client.setOptions(options.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    RedisURI uri = address.scheme().equals("redis-sentinel") ? sentinels() : nodes().get(0);
    return new SingleServer(
        client, uri, () -> end(client.shutdownAsync(0, 2, TimeUnit.SECONDS), threads));
  }

  private static void end(CompletableFuture<Void> shutdown, SharedThreads threads) {
    var unused = shutdown.whenComplete((done, failure) -> threads.release());
  }

  private List<RedisURI> nodes() {
    return address.nodes().stream()
        .map(node -> with(RedisURI.builder().withHost(node.name()).withPort(node.port())))
        .toList();
  }

  private RedisURI sentinels() {
    RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(address.master());
    for (Host node : address.nodes()) {
      RedisURI.Builder sentinel =
          RedisURI.builder()
              .withHost(node.name())
              .withPort(node.port())
              .withSsl(address.isTls())
              .withTimeout(timeout);
      authenticate(sentinel, address.sentinelLogin());
      uri.withSentinel(sentinel.build());
    }
    return with(uri);
  }

  private RedisURI with(RedisURI.Builder uri) {
    authenticate(uri, address.login());
    return uri.withDatabase(address.database())
        .withSsl(address.isTls())
        .withClientName("holdfast")
        .withTimeout(timeout)
        .build();
  }

  private static void authenticate(RedisURI.Builder uri, Credentials login) {
    String user = login.user();
    String password = login.password();
    if (password != null && user != null) {
      uri.withAuthentication(user, password.toCharArray());
    } else if (password != null) {
      uri.withPassword(password.toCharArray());
    }
  }

  private ClientOptions.Builder options(ClientOptions.Builder options, SslOptions ssl) {
    return options
        // Every server since Redis 2 speaks RESP2, and it needs no permission for HELLO.
        .protocolVersion(ProtocolVersion.RESP2)
        .requestQueueSize(MAX_UNDER_WAY)
        .socketOptions(
            SocketOptions.builder().connectTimeout(timeout).keepAlive(KEEP_ALIVE).build())
        .timeoutOptions(TimeoutOptions.create()) // Requests has the deadlines
        .sslOptions(ssl);
  }

  private ClusterClientOptions clusterOptions(SslOptions ssl) {
    ClusterClientOptions.Builder options =
        ClusterClientOptions.builder()
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(1))
                    .enablePeriodicRefresh(Duration.ofSeconds(15))
                    .build());
    options(options, ssl);
    return options.build();
  }

  private SslOptions ssl() {
    SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider().handshakeTimeout(timeout);
    TlsFiles files = address.tls();
    Path ca = files.ca();
    Path cert = files.cert();
    Path key = files.key();
    if (ca != null) {
      ssl.trustManager(ca.toFile());
    }
    if (cert != null && key != null) {
      String password = files.keyPassword();
      ssl.keyManager(
          cert.toFile(), key.toFile(), password == null ? new char[0] : password.toCharArray());
    }
    return ssl.build();
  }
}
