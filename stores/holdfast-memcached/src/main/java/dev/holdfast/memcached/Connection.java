package dev.holdfast.memcached;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: commands go out as they come, answers come back in their order.
 *
 * <p>A command that is not answered in time ends the connection, because nobody could tell its
 * answer from the next one's. Whatever was under way then is unknown.
 */
final class Connection extends SimpleChannelInboundHandler<Reply> {

  private static final int PAUSE_MILLIS = 100;

  private final Channel channel;
  private final Duration timeout;

  // Mutable state, all of it of the event loop's thread
  private final Deque<CompletableFuture<Reply>> underWay = new ArrayDeque<>();
  private @Nullable IOException end;

  Connection(Channel channel, Duration timeout) {
    this.channel = channel;
    this.timeout = timeout;
  }

  /** Sends one command. */
  CompletableFuture<Reply> ask(String command) {
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    channel.eventLoop().execute(() -> send(command, answer));
    return answer;
  }

  /** Asks once more, a little later. */
  CompletableFuture<Reply> askAgain(String command) {
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    channel.eventLoop().schedule(() -> send(command, answer), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    return answer;
  }

  boolean isOpen() {
    return channel.isActive();
  }

  void close() {
    channel.close();
  }

  private void send(String command, CompletableFuture<Reply> answer) {
    if (end != null) {
      answer.completeExceptionally(end);
      return;
    }
    Future<?> alarm =
        channel
            .eventLoop()
            .schedule(
                () -> fail(new IOException("no answer within " + timeout.toMillis() + " ms")),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
    underWay.add(answer);
    answer.whenComplete((reply, failure) -> alarm.cancel(false));
    ByteBuf bytes = ByteBufUtil.writeUtf8(channel.alloc(), command);
    channel.writeAndFlush(bytes);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Reply reply) {
    CompletableFuture<Reply> answer = underWay.poll();
    if (answer == null) {
      fail(new IOException("it answers without being asked: '" + reply.line() + "'"));
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
