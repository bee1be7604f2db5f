package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.StoreUrl.Host;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attempts to connect that fail in unusual ways: each of them ends, and the next is new. */
class ServerTest {

  private static final int ATTEMPTS = 2_000;

  private ServerSocket listener;
  private EventLoopGroup loop;

  @BeforeEach
  void listen() throws IOException {
    listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** As a load balancer without a backend does. */
  @Test
  void a_peer_that_resets_at_once_fails_every_attempt() {
    start(
        () -> {
          Socket client = listener.accept();
          client.setSoLinger(true, 0); // a reset
          client.close();
        });
    Server server = server(Duration.ofSeconds(5));

    for (int i = 0; i < ATTEMPTS; i++) {
      assertFails(server);
    }
  }

  @Test
  void a_peer_that_is_silent_fails_an_attempt_in_time() {
    Server server = server(Duration.ofMillis(100));

    assertFails(server);
    assertFails(server);
  }

  @Test
  void an_event_loop_that_has_ended_fails_an_attempt() throws Exception {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

    assertFails(server(Duration.ofSeconds(5)));
  }

  private static void assertFails(Server server) {
    CompletableFuture<StoreConnection> answer =
        server
            .request("connection", "", connection -> CompletableFuture.completedFuture(connection))
            .toCompletableFuture()
            .orTimeout(
                30, TimeUnit.SECONDS); // a stuck attempt fails the test instead of hanging it
    assertThatThrownBy(answer::join).hasCauseInstanceOf(StoreException.class);
  }

  private Server server(Duration timeout) {
    Host address = new Host("127.0.0.1", listener.getLocalPort());
    return new Server(address, Credentials.none(), null, timeout, loop);
  }

  private interface Step {
    void run() throws IOException;
  }

  private void start(Step step) {
    Thread thread =
        new Thread(
            () -> {
              while (!listener.isClosed()) {
                try {
                  step.run();
                } catch (IOException closed) {
                  // The loop asks whether the test has ended.
                }
              }
            },
            "peer");
    thread.setDaemon(true);
    thread.start();
  }
}
