package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** No thread is left by a client that could not connect. */
class FailedConnectTest {

  private final Set<Thread> before = threads();

  @Test
  void nobody_is_left_where_nobody_listens() {
    connectInVain("memcached://127.0.0.1:1,127.0.0.1:2");
  }

  @Test
  void nobody_is_left_where_nobody_answers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      connectInVain("memcached://127.0.0.1:" + silent.getLocalPort());
    }
  }

  private void connectInVain(String url) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () ->
                Holdfast.builder()
                    .store(url)
                    .operationTimeout(Duration.ofMillis(200))
                    .build()
                    .close());

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              Set<Thread> left = threads();
              left.removeAll(before);
              assertThat(left).isEmpty();
            });
  }

  private static Set<Thread> threads() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(thread -> !thread.getName().startsWith("holdfast"));
    return threads;
  }
}
