package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReconnectTest {

  @Test
  void a_server_that_is_away_is_looked_for_all_the_time() throws IOException {
    AtomicInteger attempts = new AtomicInteger();
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Ticker ticker = Ticker.system("reconnect-test")) {
      Thread porter = new Thread(() -> turnAway(door, attempts), "porter");
      porter.setDaemon(true);
      porter.start();
      String url = "etcd://127.0.0.1:" + door.getLocalPort();

      assertThatThrownBy(
              () -> new EtcdProvider().open(url, new StoreSettings(ticker, Duration.ofSeconds(3))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(url)
          .hasMessageNotContaining("\n");

      // Left to itself, gRPC would try three times, and later once in two minutes.
      assertThat(attempts).hasValueGreaterThan(8);
    }
  }

  private static void turnAway(ServerSocket door, AtomicInteger attempts) {
    try {
      while (true) {
        door.accept().close();
        attempts.incrementAndGet();
      }
    } catch (IOException closed) {
      return;
    }
  }
}
