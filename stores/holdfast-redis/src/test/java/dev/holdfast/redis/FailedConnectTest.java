package dev.holdfast.redis;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No thread is left by a client that could not connect. */
class FailedConnectTest {

  private static final int ATTEMPTS = 3;

  private final Set<Thread> before = threads();

  /** Accepts connections, by the system, and never answers. */
  private ServerSocket silent;

  @BeforeEach
  void listen() throws IOException {
    silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    silent.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://DEAD",
        "redis://SILENT",
        "redis-sentinel://DEAD/main",
        "redis-sentinel://SILENT/main",
        "redis-cluster://DEAD",
        "redis-cluster://SILENT",
        "redlock://DEAD,127.0.0.1:2,127.0.0.1:3",
        "redlock://SILENT,127.0.0.1:2,127.0.0.1:3"
      })
  void nobody_is_left(String url) {
    String address =
        url.replace("DEAD", "127.0.0.1:1").replace("SILENT", "127.0.0.1:" + silent.getLocalPort());
    for (int i = 0; i < ATTEMPTS; i++) {
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> connect(address));
    }

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              Set<Thread> left = threads();
              left.removeAll(before);
              assertThat(left).isEmpty();
            });
  }

  private static void connect(String url) {
    Holdfast.builder().store(url).operationTimeout(Duration.ofMillis(200)).build().close();
  }

  private static Set<Thread> threads() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(
        thread ->
            !thread.getName().startsWith("holdfast") && !thread.getName().startsWith("lettuce"));
    return threads;
  }
}
