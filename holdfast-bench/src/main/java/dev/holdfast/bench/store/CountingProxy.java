package dev.holdfast.bench.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Stands in front of a server and counts the requests of all its clients: the same way for every
 * server and library, and without their knowing. Used where requests are counted, never where time
 * is measured. Two threads for each connection.
 */
public final class CountingProxy implements AutoCloseable {

  private final Framing framing;
  private final int target;
  private final ServerSocket listener;
  private final LongAdder requests = new LongAdder();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** In front of the server at this port of the machine. */
  public CountingProxy(Framing framing, int target) throws IOException {
    this.framing = framing;
    this.target = target;
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    daemon("counting-proxy", this::accept);
  }

  /** Where clients connect. */
  public int port() {
    return listener.getLocalPort();
  }

  /** How many requests have passed so far. */
  public long requests() {
    return requests.sum();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    sockets.forEach(CountingProxy::close);
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      for (Socket socket : new Socket[] {client, server}) {
        socket.setTcpNoDelay(true);
        sockets.add(socket);
      }
      Framing.Counter counter = framing.counter();
      daemon("counting-proxy-requests", () -> pass(client, server, counter));
      daemon("counting-proxy-answers", () -> pass(server, client, next -> false));
    }
  }

  private void pass(Socket from, Socket to, Framing.Counter counter) throws IOException {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] piece = new byte[16 * 1024];
      for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
        for (int i = 0; i < length; i++) {
          if (counter.endsRequest(piece[i])) {
            requests.increment();
          }
        }
        out.write(piece, 0, length);
      }
    } finally {
      for (Socket socket : new Socket[] {from, to}) {
        close(socket);
        sockets.remove(socket);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }

  private static void daemon(String name, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException closed) {
                // One side has gone, or all is over: the other learns it by its own socket.
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private interface Task {
    void run() throws IOException;
  }
}
