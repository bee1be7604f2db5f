package dev.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wire to a server of this machine that counts round trips: how often the client speaks after the
 * server has.
 */
final class Wire implements AutoCloseable {

  private final ServerSocket ear;
  private final int port;
  private final AtomicInteger roundTrips = new AtomicInteger();

  private Wire(int port) throws IOException {
    this.port = port;
    ear = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  /** A wire to the server of this URL. */
  static Wire to(String url) throws IOException {
    return new Wire(Integer.parseInt(url.replaceFirst(".*127\\.0\\.0\\.1:(\\d+)/.*", "$1")));
  }

  /** The URL, but over this wire. */
  String over(String url) {
    return url.replaceFirst("127\\.0\\.0\\.1:\\d+/", "127.0.0.1:" + ear.getLocalPort() + "/");
  }

  /** Round trips since the last call. */
  int count() {
    return roundTrips.getAndSet(0);
  }

  @Override
  public void close() throws IOException {
    ear.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = ear.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        AtomicBoolean serverSpoke = new AtomicBoolean(true);
        start(() -> pump(client, server, () -> count(serverSpoke)));
        start(() -> pump(server, client, () -> serverSpoke.set(true)));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void count(AtomicBoolean serverSpoke) {
    if (serverSpoke.getAndSet(false)) {
      roundTrips.incrementAndGet();
    }
  }

  private static void pump(Socket from, Socket to, Runnable heard) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[64 * 1024];
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        heard.run();
        out.write(buffer, 0, length);
      }
    } catch (IOException closed) {
      // One end has gone, so the other goes too.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "wire");
    thread.setDaemon(true);
    thread.start();
  }
}
