package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server, by one connection that is made when it is first needed, and again after it broke.
 *
 * <p>All callers wait for the same attempt to connect, so every attempt ends: by whatever goes
 * wrong, and at the latest by its age. The call after that makes the next one. Thread-safe.
 */
final class Server {

  private static final CompletableFuture<Session> CLOSED =
      CompletableFuture.failedFuture(new IOException("the store is closed"));

  // What a server that was just started takes to be used, beyond the answers themselves.
  private static final Duration COMING_OF_AGE = Duration.ofSeconds(5);

  private final Host address;
  private final Credentials credentials;
  private final @Nullable SslContext tls;
  private final Duration timeout;
  private final EventLoopGroup loop;

  // Mutable state
  private final AtomicReference<@Nullable CompletableFuture<Session>> current =
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

  /** Does something with the server; whatever goes wrong is unknown, and says which server. */
  <T> CompletionStage<T> with(Function<Session, CompletionStage<T>> act) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    session()
        .thenCompose(act)
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                answer.complete(result);
              } else {
                answer.completeExceptionally(named(failure));
              }
            });
    return answer;
  }

  private CompletableFuture<Session> session() {
    CompletableFuture<Session> known = current.get();
    if (known == CLOSED || (known != null && isUsable(known))) {
      return known;
    }
    CompletableFuture<Session> fresh = new CompletableFuture<>();
    if (!current.compareAndSet(known, fresh)) {
      return session();
    }
    connect(fresh);
    return fresh;
  }

  private static boolean isUsable(CompletableFuture<Session> session) {
    return !session.isDone()
        || (!session.isCompletedExceptionally() && session.join().connection().isOpen());
  }

  private void connect(CompletableFuture<Session> fresh) {
    try {
      ChannelFuture connecting = connecting();
      Future<?> alarm =
          loop.schedule(
              () -> fresh.completeExceptionally(late()), longest().toNanos(), TimeUnit.NANOSECONDS);
      var unused =
          fresh.whenComplete(
              (session, failure) -> {
                alarm.cancel(false);
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
      fresh.completeExceptionally(e); // such as by an event loop that has ended
    }
  }

  private Duration longest() {
    return timeout.plus(COMING_OF_AGE);
  }

  private IOException late() {
    return new IOException("not connected within " + longest().toMillis() + " ms");
  }

  // What a listener throws is logged and forgotten.
  private void open(CompletableFuture<Session> fresh, Channel channel) {
    try {
      Connection connection = channel.pipeline().get(Connection.class);
      if (connection == null) {
        throw new IOException("the connection was closed at once");
      }
      Session.open(connection, credentials)
          .thenApply(this::checked)
          .whenComplete(
              (session, failure) -> {
                if (session != null) {
                  fresh.complete(session);
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
                new Connection(channel, timeout));
      }
    };
  }

  /** An earlier start than before would send the tokens back. */
  private Session checked(Session session) {
    long latest = lastStart.accumulateAndGet(session.start(), Math::max);
    if (session.start() < latest) {
      throw new StoreException(
          "",
          "it was restarted, and its clock set back; tokens would not rise until it catches up");
    }
    return session;
  }

  private StoreException named(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return new StoreException("", this + ": " + reason, cause);
  }

  boolean isTls() {
    return tls != null;
  }

  Host address() {
    return address;
  }

  /** From now on every answer is unknown: the event loop, which ends with us, would give none. */
  void close() {
    CompletableFuture<Session> known = current.getAndSet(CLOSED);
    if (known != null && known != CLOSED) {
      known.completeExceptionally(new IOException("the store is closed")); // unless it is there
      if (!known.isCompletedExceptionally()) {
        known.join().connection().close();
      }
    }
  }

  @Override
  public String toString() {
    return (tls == null ? MemcachedProvider.PLAIN : MemcachedProvider.TLS) + "://" + address;
  }
}
