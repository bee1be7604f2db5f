package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.StoreUrl.Host;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server and the connection to it, which is made when first needed and again after a failure.
 *
 * <p>All callers wait for the same attempt to connect, so every attempt must end: it fails at the
 * latest when its time is over. The next call makes the next attempt.
 *
 * <p>Thread-safe.
 */
final class Server {

  private static final CompletableFuture<StoreConnection> CLOSED =
      CompletableFuture.failedFuture(new IOException("the store is closed"));

  // A server that has just been started is not used at once: see StoreConnection.
  private static final Duration WARM_UP = Duration.ofSeconds(5);

  private final Host address;
  private final Credentials credentials;
  private final @Nullable SslContext tls;
  private final Duration timeout;
  private final EventLoopGroup loop;
  private final Failures failures = new Failures(this);

  // Mutable state
  private final AtomicReference<@Nullable CompletableFuture<StoreConnection>> current =
      new AtomicReference<>();
  private final AtomicLong lastStart = new AtomicLong();

  Server(
      Host address,
      Credentials credentials,
      @Nullable SslContext tls,
      Duration timeout,
      EventLoopGroup loop) {
    this.address = address;
    this.credentials = credentials;
    this.tls = tls;
    this.timeout = timeout;
    this.loop = loop;
  }

  /**
   * Sends a request.
   *
   * @param verb what is requested, and of which {@code lock}, for the message of a failure
   * @return the answer; fails with a {@link StoreException} if there is none, or a refusal
   */
  <T> CompletionStage<T> request(
      String verb, String lock, Function<StoreConnection, CompletionStage<T>> request) {
    return connection()
        .thenCompose(request)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(failed(verb, lock, Failures.unwrap(failure))));
  }

  private StoreException failed(String verb, String lock, Throwable cause) {
    String reason = Failures.reason(cause);
    return cause instanceof StoreException
        ? failures.refused(verb, lock, reason, cause)
        : failures.noAnswer(verb, lock, reason, cause);
  }

  /** {@return the failure of a request that was not answered in time} */
  StoreException silent(String verb, Duration waited) {
    return failures.noAnswer(verb, "", "within " + waited.toMillis() + " ms", null);
  }

  private CompletableFuture<StoreConnection> connection() {
    CompletableFuture<StoreConnection> known = current.get();
    if (known == CLOSED || (known != null && isUsable(known))) {
      return known;
    }
    CompletableFuture<StoreConnection> fresh = new CompletableFuture<>();
    if (!current.compareAndSet(known, fresh)) {
      return connection();
    }
    connect(fresh);
    return fresh;
  }

  private static boolean isUsable(CompletableFuture<StoreConnection> connection) {
    return !connection.isDone()
        || (!connection.isCompletedExceptionally() && connection.join().isOpen());
  }

  private void connect(CompletableFuture<StoreConnection> fresh) {
    try {
      ChannelFuture connecting = connecting();
      Future<?> timer =
          loop.schedule(
              () -> fresh.completeExceptionally(late()), longest().toNanos(), TimeUnit.NANOSECONDS);
      var unused =
          fresh.whenComplete(
              (connection, failure) -> {
                timer.cancel(false);
                if (failure != null) {
                  connecting.channel().close();
                }
              });
      connecting.addListener(
          done -> {
            if (done.isSuccess()) {
              open(fresh, connecting.channel());
            } else {
              fresh.completeExceptionally(done.cause());
            }
          });
    } catch (RuntimeException e) {
      fresh.completeExceptionally(e); // for example, because the event loop has ended
    }
  }

  private Duration longest() {
    return timeout.plus(WARM_UP);
  }

  private IOException late() {
    return new IOException("not connected within " + longest().toMillis() + " ms");
  }

  // Catches everything: Netty only logs what a listener throws.
  private void open(CompletableFuture<StoreConnection> fresh, Channel channel) {
    try {
      StoreConnection opening = channel.pipeline().get(StoreConnection.class);
      if (opening == null) {
        throw new IOException("the connection was closed at once");
      }
      opening
          .open(credentials)
          .thenApply(this::checked)
          .whenComplete(
              (connection, failure) -> {
                if (connection != null) {
                  fresh.complete(connection);
                } else {
                  fresh.completeExceptionally(failure);
                }
              });
    } catch (IOException | RuntimeException e) {
      fresh.completeExceptionally(e);
    }
  }

  private ChannelFuture connecting() {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .handler(pipeline())
        .connect(address.name(), address.port());
  }

  private ChannelInitializer<Channel> pipeline() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        if (tls != null) {
          channel
              .pipeline()
              .addLast(tls.newHandler(channel.alloc(), address.name(), address.port()));
        }
        channel
            .pipeline()
            .addLast(
                new FlushConsolidationHandler(64, true),
                new ReplyDecoder(),
                new StoreConnection(channel, timeout));
      }
    };
  }

  /** Refuses a server whose start is earlier than before: its tokens would fall. */
  private StoreConnection checked(StoreConnection connection) {
    long latest = lastStart.accumulateAndGet(connection.start(), Math::max);
    if (connection.start() < latest) {
      throw new StoreException(
          "",
          "restarted with its clock set back; refused until the clock has caught up, so that tokens"
              + " rise");
    }
    return connection;
  }

  boolean isTls() {
    return tls != null;
  }

  Host address() {
    return address;
  }

  /** Fails all later calls: the event loop is about to end and would never answer them. */
  void close() {
    CompletableFuture<StoreConnection> known = current.getAndSet(CLOSED);
    if (known != null && known != CLOSED) {
      known.completeExceptionally(new IOException("the store is closed")); // no effect if connected
      if (!known.isCompletedExceptionally()) {
        known.join().close();
      }
    }
  }

  @Override
  public String toString() {
    return (tls == null ? MemcachedProvider.PLAIN : MemcachedProvider.TLS) + "://" + address;
  }
}
