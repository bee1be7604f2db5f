package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.File;
import java.time.Duration;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * Opens {@code memcached://HOST[:PORT][,HOST[:PORT]…]}, and {@code memcacheds://} for the same with
 * TLS. Best effort: an entry can vanish while its lock is held. A client has one connection to each
 * server, and one thread.
 */
public final class MemcachedProvider implements LockStoreProvider {

  // Seconds beyond 30 days would be read as a date; two are added to each ttl.
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
    return Set.of(MemcachedUrl.PLAIN, MemcachedUrl.TLS);
  }

  @Override
  public Traits traits(String scheme) {
    return TRAITS;
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    MemcachedUrl parsed = MemcachedUrl.parse(url);
    Keys keys = new Keys(parsed.prefix());
    SslContext tls = parsed.tls() ? tls(parsed) : null;
    Credentials credentials = credentials(parsed.credentials(), settings.credentials());
    Duration timeout = settings.operationTimeout();
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("holdfast-memcached", true), NioIoHandler.newFactory());
    Servers servers =
        new Servers(
            parsed.servers().stream()
                .map(address -> new Server(address, credentials, tls, timeout, loop))
                .toList());
    MemcachedRegister register = new MemcachedRegister(parsed.toString(), servers, keys, loop);
    return new RegisterLockStore(register.opened(timeout), TRAITS, settings.ticker());
  }

  private static Credentials credentials(Credentials url, Credentials given) {
    return new Credentials(
        given.user() == null ? url.user() : given.user(),
        given.password() == null ? url.password() : given.password());
  }

  private static SslContext tls(MemcachedUrl url) {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .endpointIdentificationAlgorithm("HTTPS");
    String ca = url.ca();
    try {
      return (ca == null ? builder : builder.trustManager(new File(ca))).build();
    } catch (SSLException | IllegalArgumentException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new StoreException(
          "", url + ": cannot use the certificates of " + ca + ": " + reason.getMessage(), e);
    }
  }
}
