package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.StoreUrl;
import dev.holdfast.spi.support.StoreUrl.Host;
import dev.holdfast.spi.support.TlsFiles;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code memcached://HOST[:PORT][,HOST[:PORT]…]}, and {@code memcacheds://} for the same with
 * TLS. Best effort: an entry can vanish while its lock is held. A client has one connection to each
 * server, and one thread.
 */
public final class MemcachedProvider implements LockStoreProvider {

  static final String PLAIN = "memcached";
  static final String TLS = "memcacheds";

  private static final int PORT = 11211;

  // More than 30 days of seconds would be read as a date; two seconds are added to each ttl.
  private static final Duration LONGEST = Duration.ofDays(30).minusSeconds(2);

  private static final Traits TRAITS =
      RegisterLockStore.baseTraits()
          .ttl(Duration.ofSeconds(1), LONGEST)
          .ttlResolution(Duration.ofSeconds(1))
          .expiryLag(Duration.ofSeconds(4))
          .spansProcesses()
          .build();

  /** For the service loader. */
  public MemcachedProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of(PLAIN, TLS);
  }

  @Override
  public Traits traits(String scheme) {
    return TRAITS;
  }

  @Override
  public LockStore open(String text, StoreSettings settings) {
    StoreUrl url = StoreUrl.parse(text).knowing("prefix", "ca").withoutPath();
    boolean encrypted = url.scheme().equals(TLS);
    List<Host> hosts = url.hosts(PORT);
    Keys keys = url.options(() -> new Keys(url.value("prefix", Keys.DEFAULT_PREFIX)));
    Credentials login = url.userAndPassword(settings.credentials());
    TlsFiles files = url.tls(encrypted, "write " + TLS + "://");
    SslContext tls = encrypted ? tls(url, files.ca()) : null;
    Duration timeout = settings.operationTimeout();
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("holdfast-memcached", true), NioIoHandler.newFactory());
    Servers servers =
        new Servers(
            hosts.stream().map(host -> new Server(host, login, tls, timeout, loop)).toList());
    MemcachedRegister register = new MemcachedRegister(url.toString(), servers, keys, loop);
    return new RegisterLockStore(register.opened(timeout), TRAITS, settings.ticker());
  }

  private static SslContext tls(StoreUrl url, @Nullable Path ca) {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .endpointIdentificationAlgorithm("HTTPS");
    try {
      return (ca == null ? builder : builder.trustManager(ca.toFile())).build();
    } catch (SSLException | IllegalArgumentException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new StoreException(
          "", "Cannot use " + url + ": no certificates in " + ca + ": " + reason.getMessage(), e);
    }
  }
}
