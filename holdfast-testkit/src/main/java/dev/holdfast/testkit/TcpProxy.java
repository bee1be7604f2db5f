package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bad network in front of a real server: clients connect to the proxy's port, and what they and
 * the server say to each other is passed on, late, or not at all.
 *
 * <pre>{@code
 * try (TcpProxy network = TcpProxy.to("127.0.0.1", server.port())) {
 *   connectTo("127.0.0.1", network.port());
 *   network.hangAnswers(); // the server carries out requests, and no answer arrives
 *   network.heal();
 * }
 * }</pre>
 *
 * <p><b>Promises.</b> Bytes are never changed, reordered or left out while a connection lives: what
 * hung arrives after {@link #heal}, as it does when a real network comes back in time. Only {@link
 * #cut} loses bytes, with their connection. Each change is in force when its method returns, except
 * for bytes that are being written at that moment.
 *
 * <p>A delay is latency only, as of a far network: what is sent together arrives together.
 *
 * <p><b>Threads.</b> Safe for any. Four threads for each connection.
 */
public final class TcpProxy implements AutoCloseable {

  private enum State {
    OPEN,
    ANSWERS_HANG,
    ALL_HANGS,
    CUT,
    CLOSED
  }

  private final InetSocketAddress target;
  private final ServerSocket listener;
  private final Thread accepting;
  private final Set<TcpProxyConnection> connections = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Mutable state, guarded by lock
  private State state = State.OPEN;
  private Duration delay = Duration.ZERO;
  private @Nullable String hangAt;

  private TcpProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    this.accepting = daemon("tcp-proxy", this::accept);
  }

  /** A proxy in front of this address, which passes everything on. */
  public static TcpProxy to(String host, int port) {
    try {
      return new TcpProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException("no port for a proxy", e);
    }
  }

  /** Where it listens, on the loopback interface. */
  public int port() {
    return listener.getLocalPort();
  }

  /** How many connections pass through it now. */
  public int connections() {
    return connections.size();
  }

  /** Resets all connections; new ones are reset as soon as they are made. */
  public void cut() {
    change(State.CUT);
    connections.forEach(TcpProxyConnection::reset);
  }

  /** Holds back everything, both ways. New connections are accepted, and hang as well. */
  public void hang() {
    change(State.ALL_HANGS);
  }

  /**
   * Holds back everything as soon as a client sends this text, which does not reach the server any
   * more: the client vanishes at a known point. The text must be sent in one piece.
   */
  public void hangAt(String text) {
    lock.lock();
    try {
      hangAt = text;
    } finally {
      lock.unlock();
    }
  }

  /**
   * @return whether everything is held back, both ways
   */
  public boolean isHanging() {
    lock.lock();
    try {
      return state == State.ALL_HANGS;
    } finally {
      lock.unlock();
    }
  }

  /** Holds back the server's answers. Requests still reach it. */
  public void hangAnswers() {
    change(State.ANSWERS_HANG);
  }

  /** Passes everything on at least so much later than it came, each way. */
  public void delay(Duration eachWay) {
    lock.lock();
    try {
      delay = eachWay;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Passes everything on at once: what hung, first. Connections that were cut stay cut. */
  public void heal() {
    delay(Duration.ZERO);
    change(State.OPEN);
  }

  /** Resets all connections and stops listening. */
  @Override
  public void close() {
    change(State.CLOSED);
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException("the proxy cannot stop listening", e);
    }
    joinAccepting();
    connections.forEach(TcpProxyConnection::reset);
  }

  /**
   * Returns when bytes may go on, and throws when their connection is over.
   *
   * @param answer whether they come from the server
   * @param came when they came, by {@link System#nanoTime}
   */
  void pass(TcpProxyConnection connection, boolean answer, long came)
      throws IOException, InterruptedException {
    lock.lock();
    try {
      // A cut frees the threads that wait here before it has come to this connection: nothing slips
      // out.
      while (!connection.isReset() && !isCut()) {
        long left = delay.toNanos() - (System.nanoTime() - came);
        if (hangs(answer)) {
          changed.await();
        } else if (left > 0) {
          changed.awaitNanos(left);
        } else {
          return;
        }
      }
      throw new IOException("cut");
    } finally {
      lock.unlock();
    }
  }

  /** A client says this. */
  void heard(byte[] bytes) {
    lock.lock();
    try {
      // One character for each byte: nothing is lost, and ASCII is what it was.
      if (hangAt != null && new String(bytes, StandardCharsets.ISO_8859_1).contains(hangAt)) {
        hangAt = null;
        change(State.ALL_HANGS);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A connection was reset, so its threads need not wait. */
  void ended(TcpProxyConnection connection) {
    connections.remove(connection);
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** The system frees the port only when no thread accepts on it any more. */
  private void joinAccepting() {
    try {
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean hangs(boolean answer) {
    return state == State.ALL_HANGS || (answer && state == State.ANSWERS_HANG);
  }

  private void change(State next) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        state = next;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isCut() {
    lock.lock();
    try {
      return state == State.CUT || state == State.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        TcpProxyConnection connection = new TcpProxyConnection(this, client, target);
        connections.add(connection);
        // Asked after it was added: a cut that comes now finds it there.
        if (isCut()) {
          connection.reset();
        } else {
          connection.start();
        }
      } catch (IOException closed) {
        // The loop asks whether that was meant.
      }
    }
  }
}
