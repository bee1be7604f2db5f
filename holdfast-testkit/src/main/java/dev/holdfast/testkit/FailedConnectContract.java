package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A client that cannot connect says so with a {@link StoreException}, and leaves no thread behind:
 * a process that tries again and again must not fill up with them.
 *
 * <p>What a driver keeps once for the whole process is no such thread: a first attempt is made
 * before they are counted.
 */
public abstract class FailedConnectContract {

  private static final Duration TIMEOUT = Duration.ofMillis(300);

  /** Threads that wait for their own time-out stay for longer than that. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration POLL = Duration.ofMillis(20);

  private static final int ATTEMPTS = 3;

  /** For subclasses. */
  protected FailedConnectContract() {}

  /**
   * The URLs to try, of a store whose only server is there.
   *
   * @param address host and port
   */
  protected abstract List<String> urls(String address);

  @Test
  void nobody_is_left_where_nobody_listens() throws IOException {
    String address;
    try (ServerSocket closed = listen()) {
      address = address(closed);
    }
    urls(address).forEach(FailedConnectContract::nobodyIsLeft);
  }

  @Test
  void nobody_is_left_where_nobody_answers() throws IOException {
    try (ServerSocket silent = listen()) {
      urls(address(silent)).forEach(FailedConnectContract::nobodyIsLeft);
    }
  }

  /**
   * Asserts that a client that tries to connect in vain leaves no thread.
   *
   * @param url of a store that cannot be used
   */
  public static void nobodyIsLeft(String url) {
    connectInVain(url);
    Set<Thread> before = Thread.getAllStackTraces().keySet();

    for (int i = 0; i < ATTEMPTS; i++) {
      connectInVain(url);
    }

    long start = System.nanoTime();
    Set<Thread> left = since(before);
    while (!left.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
      LockSupport.parkNanos(POLL.toNanos());
      left = since(before);
    }
    assertThat(left).as("threads that are left after failed connects").isEmpty();
  }

  private static void connectInVain(String url) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Holdfast.builder().store(url).operationTimeout(TIMEOUT).build().close());
  }

  private static Set<Thread> since(Set<Thread> before) {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeAll(before);
    threads.removeIf(FailedConnectContract::isOfTheJvm);
    return threads;
  }

  /** Pools that all clients of a JVM share, and that it looks after: the JDK's own. */
  private static boolean isOfTheJvm(Thread thread) {
    String name = thread.getName();
    return name.startsWith("ForkJoinPool.commonPool-") || name.startsWith("HttpClient-");
  }

  /** The system accepts connections, but no program reads from them. */
  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static String address(ServerSocket server) {
    return "127.0.0.1:" + server.getLocalPort();
  }
}
