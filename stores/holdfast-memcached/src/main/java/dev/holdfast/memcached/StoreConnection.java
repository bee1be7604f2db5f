package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that knows when its server was started. Replies come back in the order of the
 * commands. A command that is not answered in time ends the connection, because its late reply
 * would be taken for the next one's. The outcome of all commands under way is then unknown.
 *
 * <p>A server counts its writes from 1 and forgets the count when it ends. Its start in
 * microseconds plus the count gives versions that rise over restarts, as long as the server's clock
 * rises and it makes less than a million writes in a second. A connection does not outlive the
 * server's process, so the start is asked for once per connection.
 *
 * <p>The server reports its start in whole seconds. It is used only when it is about two seconds
 * old, so that two processes started within one second cannot give out the same versions.
 *
 * <p>Thread-safe.
 */
final class StoreConnection extends SimpleChannelInboundHandler<Reply> {

  private static final long MICROS = 1_000_000;
  private static final int OLD_ENOUGH = 4; // its count of seconds begins with 2
  private static final int RETRY_MILLIS = 100;
  private static final String STATISTICS = "stats\r\n";

  private final Channel channel;
  private final Duration timeout;

  // Mutable state
  private volatile long start; // of the server, in microseconds since 1970 by its clock
  private final Deque<CompletableFuture<Reply>> underWay = new ArrayDeque<>(); // event loop only
  private @Nullable IOException end; // event loop only

  StoreConnection(Channel channel, Duration timeout) {
    this.channel = channel;
    this.timeout = timeout;
  }

  /**
   * Logs in if the server requires it, and reads the server's start.
   *
   * @return this connection, which is ready then
   */
  CompletionStage<StoreConnection> open(Credentials credentials) {
    // The password is sent on request only: a server that needs none would store it as an entry.
    return stats()
        .thenCompose(
            reply ->
                reply.line().equals("CLIENT_ERROR unauthenticated")
                    ? logIn(credentials).thenCompose(done -> stats())
                    : CompletableFuture.completedFuture(reply))
        .thenCompose(this::whenOldEnough);
  }

  private CompletionStage<StoreConnection> whenOldEnough(Reply reply) {
    if (!reply.code().equals("END")) {
      throw reply.unexpected();
    }
    long uptime = reply.statistic("uptime");
    if (uptime < OLD_ENOUGH) {
      CompletableFuture<Reply> later = new CompletableFuture<>();
      channel
          .eventLoop()
          .schedule(() -> send(STATISTICS, later), RETRY_MILLIS, TimeUnit.MILLISECONDS);
      return later.thenCompose(this::whenOldEnough);
    }
    start = (reply.statistic("time") - uptime) * MICROS;
    return CompletableFuture.completedFuture(this);
  }

  private CompletionStage<Void> logIn(Credentials credentials) {
    String user = credentials.user();
    String password = credentials.password();
    if (user == null || password == null) {
      throw new StoreException("", "the server requires a user and a password");
    }
    String secret = user + " " + password;
    int length = secret.getBytes(StandardCharsets.UTF_8).length;
    return ask("set auth 0 0 " + length + "\r\n" + secret + "\r\n")
        .thenAccept(
            reply -> {
              if (!reply.code().equals("STORED")) {
                throw new StoreException("", "wrong password or unknown user '" + user + "'");
              }
            });
  }

  /** Sends one command. */
  CompletableFuture<Reply> ask(String command) {
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    channel.eventLoop().execute(() -> send(command, answer));
    return answer;
  }

  CompletableFuture<Reply> stats() {
    return ask(STATISTICS);
  }

  boolean isOpen() {
    return channel.isActive();
  }

  void close() {
    channel.close();
  }

  /** {@return when the server was started, in microseconds since 1970 by its clock} */
  long start() {
    return start;
  }

  /** {@return the version of an entry with this compare-and-swap value} */
  long version(long cas) {
    if (cas == 0) {
      throw new StoreException("", "compare-and-swap is switched off; start the server without -C");
    }
    return start + cas;
  }

  /**
   * @return the reverse of {@link #version}; not positive for a write before the server's start
   */
  long cas(long version) {
    return version - start;
  }

  private void send(String command, CompletableFuture<Reply> answer) {
    if (end != null) {
      answer.completeExceptionally(end);
      return;
    }
    Future<?> timer =
        channel
            .eventLoop()
            .schedule(
                () -> fail(new IOException("no answer within " + timeout.toMillis() + " ms")),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
    underWay.add(answer);
    answer.whenComplete((reply, failure) -> timer.cancel(false));
    channel.writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), command));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Reply reply) {
    CompletableFuture<Reply> answer = underWay.poll();
    if (answer == null) {
      fail(new IOException("unexpected reply without a request: '" + reply.line() + "'"));
    } else {
      answer.complete(reply);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    fail(new IOException("the connection was closed"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    Throwable reason =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    fail(reason instanceof IOException io ? io : new IOException(reason.getMessage(), reason));
  }

  private void fail(IOException reason) {
    if (end != null) {
      return;
    }
    end = reason;
    channel.close();
    CompletableFuture<Reply> answer;
    while ((answer = underWay.poll()) != null) {
      answer.completeExceptionally(reason);
    }
  }
}
