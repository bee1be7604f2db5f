package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

  private static final int SOON_MILLIS = 200;
  private static final int PATIENCE_MILLIS = 30_000;

  private final AtomicInteger heard = new AtomicInteger();
  private ServerSocket echo;
  private Thread serving;
  private TcpProxy proxy;

  @BeforeEach
  void start() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    serving = TcpProxy.daemon("echo", this::serve);
    proxy = TcpProxy.to("127.0.0.1", echo.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    echo.close();
  }

  @Test
  void what_is_said_is_passed_on_both_ways_unchanged() throws Exception {
    byte[] sent = new byte[1_000_000];
    new Random(7).nextBytes(sent);
    try (Socket socket = connect()) {
      TcpProxy.daemon("sender", () -> send(socket, sent));
      assertThat(socket.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
      assertThat(proxy.connections()).isEqualTo(1);
    }
    await().until(() -> proxy.connections() == 0);
  }

  @Test
  void a_regular_end_is_passed_on() throws Exception {
    try (Socket socket = connect()) {
      send(socket, new byte[] {1});
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).containsExactly(1);
    }
    await().until(() -> proxy.connections() == 0);
  }

  @Test
  void a_cut_resets_what_is_open_and_what_comes_until_it_is_healed() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.cut();
      assertThatThrownBy(() -> roundTrip(socket)).isInstanceOf(SocketException.class);
      assertThatThrownBy(this::connectAndAsk).isInstanceOf(IOException.class);
    }
    proxy.heal();
    connectAndAsk();
  }

  @Test
  void all_hangs_from_a_given_text_on() throws Exception {
    try (Socket socket = connect()) {
      proxy.hangAt("COMMIT");
      roundTrip(socket);
      assertThat(proxy.isHanging()).isFalse();

      socket.setSoTimeout(SOON_MILLIS);
      send(socket, "UPDATE; COMMIT".getBytes(StandardCharsets.US_ASCII));
      await().until(proxy::isHanging);
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      proxy.heal();
      socket.setSoTimeout(PATIENCE_MILLIS);
      assertThat(socket.getInputStream().readNBytes(14)).asString().isEqualTo("UPDATE; COMMIT");
    }
  }

  @Test
  void what_hangs_arrives_when_it_is_healed() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.hang();
      send(socket, new byte[] {2});
      nothingComes(socket);
      assertThat(heard).as("bytes that reached the server").hasValue(1);

      proxy.heal();
      assertThat(socket.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void a_new_connection_hangs_as_well() throws Exception {
    proxy.hang();
    try (Socket socket = connect()) {
      send(socket, new byte[] {3});
      nothingComes(socket);
      proxy.heal();
      assertThat(socket.getInputStream().read()).isEqualTo(3);
    }
  }

  @Test
  void a_break_hangs_as_well() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.hang();
      socket.setSoLinger(true, 0);
    } // is reset here
    await().during(Duration.ofMillis(SOON_MILLIS)).until(() -> proxy.connections() == 1);

    proxy.heal();
    await().until(() -> proxy.connections() == 0);
  }

  @Test
  void the_server_receives_requests_while_only_answers_hang() throws Exception {
    try (Socket socket = connect()) {
      proxy.hangAnswers();
      send(socket, new byte[] {4});
      await().untilAsserted(() -> assertThat(heard).hasValue(1));
      nothingComes(socket);
      proxy.cut();
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void what_is_delayed_comes_no_sooner() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.delay(Duration.ofMillis(100));
      long start = System.nanoTime();
      roundTrip(socket);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(200));
    }
  }

  /** Distance makes a network slow, not narrow. */
  @Test
  void what_is_sent_together_is_delayed_together() throws Exception {
    Duration delay = Duration.ofMillis(500);
    int pieces = 64;
    byte[] sent = new byte[pieces * TcpProxyPipe.PIECE];
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.delay(delay);
      long start = System.nanoTime();
      TcpProxy.daemon("sender", () -> send(socket, sent));
      assertThat(socket.getInputStream().readNBytes(sent.length)).hasSameSizeAs(sent);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(delay.multipliedBy(pieces));
    }
  }

  @Test
  void what_is_delayed_comes_at_once_when_it_is_healed() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.delay(Duration.ofDays(1));
      send(socket, new byte[] {6});
      nothingComes(socket);
      proxy.heal();
      assertThat(socket.getInputStream().read()).isEqualTo(6);
    }
  }

  @Test
  void a_connection_to_a_server_that_is_gone_is_reset() throws Exception {
    echo.close();
    serving.join(); // until then the system may still accept a connection for it
    assertThatThrownBy(this::connectAndAsk).isInstanceOf(IOException.class);
  }

  @Test
  void a_closed_proxy_ends_its_connections_even_those_that_hang() throws Exception {
    try (Socket socket = connect()) {
      roundTrip(socket);
      proxy.hang();
      send(socket, new byte[] {5});
      proxy.close();
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
      assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", proxy.port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private void connectAndAsk() throws IOException {
    try (Socket socket = connect()) {
      roundTrip(socket);
    }
  }

  private static void roundTrip(Socket socket) throws IOException {
    socket.getOutputStream().write(1);
    if (socket.getInputStream().read() != 1) {
      throw new IOException("no echo");
    }
  }

  private static void nothingComes(Socket socket) throws IOException {
    socket.setSoTimeout(SOON_MILLIS);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  private static void send(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void serve() {
    while (!echo.isClosed()) {
      try {
        Socket socket = echo.accept();
        TcpProxy.daemon("echo-connection", () -> repeat(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void repeat(Socket socket) {
    try (socket) {
      byte[] piece = new byte[4096];
      for (int length = socket.getInputStream().read(piece);
          length >= 0;
          length = socket.getInputStream().read(piece)) {
        heard.addAndGet(length);
        socket.getOutputStream().write(piece, 0, length);
      }
    } catch (IOException reset) {
      // The client is gone.
    }
  }
}
