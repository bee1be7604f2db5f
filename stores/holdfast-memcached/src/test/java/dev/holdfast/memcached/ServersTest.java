package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ServersTest {

  private static final EventLoopGroup LOOP =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private static final int KEYS = 3_000;

  @AfterAll
  static void stop() {
    LOOP.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Test
  void the_order_of_the_servers_does_not_matter() {
    Servers one = servers("a", "b", "c");
    Servers other = servers("c", "a", "b");

    for (int i = 0; i < KEYS; i++) {
      assertThat(place(one, i)).isEqualTo(place(other, i));
    }
  }

  @Test
  void keys_are_spread_evenly() {
    Servers servers = servers("a", "b", "c");
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      counts.merge(place(servers, i), 1, Integer::sum);
    }

    assertThat(counts).hasSize(3);
    assertThat(counts.values()).allMatch(count -> count > KEYS / 4 && count < KEYS / 2);
  }

  @Test
  void a_server_more_takes_keys_from_the_others_and_moves_no_other() {
    Servers three = servers("a", "b", "c");
    Servers four = servers("a", "b", "c", "d");
    int moved = 0;
    for (int i = 0; i < KEYS; i++) {
      if (!place(three, i).equals(place(four, i))) {
        assertThat(place(four, i)).isEqualTo("memcached://d:11211");
        moved++;
      }
    }

    assertThat(moved).isBetween(KEYS / 6, KEYS / 3);
  }

  /** Clients of different versions must agree: this never changes. */
  @Test
  void the_place_of_a_key_is_known() {
    Servers servers = servers("a", "b", "c");

    assertThat(Stream.of(1, 2, 3, 4, 5, 6).map(i -> place(servers, i).substring(12, 13)))
        .containsExactly("a", "b", "b", "b", "c", "c");
  }

  private static String place(Servers servers, int i) {
    return servers.of("holdfast:orders/" + i).toString();
  }

  private static Servers servers(String... hosts) {
    return new Servers(
        Stream.of(hosts)
            .map(
                host ->
                    new Server(
                        new Host(host, 11211),
                        Credentials.none(),
                        null,
                        Duration.ofSeconds(1),
                        LOOP))
            .toList());
  }
}
