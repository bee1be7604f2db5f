package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplyDecoderTest {

  private static final String ALL =
      "HD c42\r\nVA 7 c9 t60\r\nä\r\nEN\r\r\nEN\r\nSTAT a 1\r\nSTAT b two words\r\nEND\r\n"
          + "SERVER_ERROR out of memory\r\nVA 0 c1 t5\r\n\r\n";

  private static final List<Reply> REPLIES =
      List.of(
          new Reply("HD c42", ""),
          new Reply("VA 7 c9 t60", "ä\r\nEN\r"),
          new Reply("EN", ""),
          new Reply("END", "STAT a 1\nSTAT b two words\n"),
          new Reply("SERVER_ERROR out of memory", ""),
          new Reply("VA 0 c1 t5", ""));

  @Test
  void replies_are_the_same_however_the_bytes_arrive() {
    byte[] bytes = ALL.getBytes(StandardCharsets.UTF_8);
    for (int step = 1; step <= bytes.length; step++) {
      EmbeddedChannel channel = new EmbeddedChannel(new ReplyDecoder());
      for (int from = 0; from < bytes.length; from += step) {
        int length = Math.min(step, bytes.length - from);
        channel.writeInbound(Unpooled.copiedBuffer(bytes, from, length));
      }

      assertThat(replies(channel)).as("in steps of %s", step).isEqualTo(REPLIES);
    }
  }

  @Test
  void flags_and_statistics_are_found_by_name() {
    assertThat(new Reply("VA 7 c9 t-1", "").flag('c')).isEqualTo(9);
    assertThat(new Reply("VA 7 c9 t-1", "").flag('t')).isEqualTo(-1);
    assertThat(REPLIES.get(3).statistic("a")).isEqualTo(1);
    assertThat(REPLIES.get(3).text("b")).isEqualTo("two words");
    assertThatThrownBy(() -> new Reply("HD", "").flag('c'))
        .isInstanceOf(StoreException.class)
        .hasMessage("unexpected reply 'HD'");
  }

  @Test
  void what_is_not_memcached_is_not_read_without_bound() {
    EmbeddedChannel channel = new EmbeddedChannel(new ReplyDecoder());

    assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(new byte[5_000])))
        .isInstanceOf(DecoderException.class)
        .hasMessageContaining("is this Memcached?");
  }

  @Test
  void a_ttl_is_rounded_up_to_seconds_and_two_more() {
    assertThat(MemcachedRegister.seconds(Duration.ofNanos(1))).isEqualTo(3);
    assertThat(MemcachedRegister.seconds(Duration.ofSeconds(1))).isEqualTo(3);
    assertThat(MemcachedRegister.seconds(Duration.ofMillis(1_001))).isEqualTo(4);
    Duration longest = new MemcachedProvider().traits("memcached").maxTtl();
    assertThat(MemcachedRegister.seconds(longest)).isEqualTo(Duration.ofDays(30).toSeconds());
  }

  private static List<Reply> replies(EmbeddedChannel channel) {
    List<Reply> replies = new ArrayList<>();
    for (Reply reply = channel.readInbound(); reply != null; reply = channel.readInbound()) {
      replies.add(reply);
    }
    return replies;
  }
}
