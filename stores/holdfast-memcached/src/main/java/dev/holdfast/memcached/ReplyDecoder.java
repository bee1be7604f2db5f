package dev.holdfast.memcached;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Splits the bytes of a server into {@link Reply}s: lines, values, and lists of statistics. */
final class ReplyDecoder extends ByteToMessageDecoder {

  private static final int LONGEST_LINE = 4_096;
  private static final int LONGEST_BODY = 1 << 20;

  // Mutable state
  private final StringBuilder statistics = new StringBuilder();
  private @Nullable Reply awaitingValue;

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    Reply reply = awaitingValue != null ? withValue(awaitingValue, in) : line(in);
    if (reply != null) {
      out.add(reply);
    }
  }

  private @Nullable Reply withValue(Reply head, ByteBuf in) {
    int length = head.length();
    if (in.readableBytes() < length + 2) {
      return null;
    }
    String value = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
    in.skipBytes(2); // the end of the line
    awaitingValue = null;
    return new Reply(head.line(), value);
  }

  private @Nullable Reply line(ByteBuf in) {
    int end = in.bytesBefore((byte) '\n');
    if (end < 0) {
      check(in.readableBytes(), LONGEST_LINE);
      return null;
    }
    check(end, LONGEST_LINE);
    String text = in.readCharSequence(end + 1, StandardCharsets.UTF_8).toString().stripTrailing();
    if (text.startsWith("STAT ")) {
      statistics.append(text).append('\n');
      check(statistics.length(), LONGEST_BODY);
      return null;
    }
    Reply reply = new Reply(text, statistics.toString());
    statistics.setLength(0);
    if (reply.code().equals("VA")) {
      check(reply.length(), LONGEST_BODY);
      awaitingValue = reply;
      return null;
    }
    return reply;
  }

  private static void check(int length, int longest) {
    if (length > longest) {
      throw new TooLongFrameException(
          "reply of more than " + longest + " bytes; is this Memcached?");
    }
  }
}
