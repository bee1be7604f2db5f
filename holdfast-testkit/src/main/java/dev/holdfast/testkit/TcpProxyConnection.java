package dev.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;

/** One connection through a {@link TcpProxy}: two sockets, and a thread for each direction. */
final class TcpProxyConnection {

  private static final int PIECE = 16 * 1024;

  private final TcpProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final SocketAddress target;

  // Mutable state
  private volatile boolean reset;

  TcpProxyConnection(TcpProxy proxy, Socket client, SocketAddress target) {
    this.proxy = proxy;
    this.client = client;
    this.target = target;
  }

  void start() {
    TcpProxy.daemon("tcp-proxy-requests", this::connectAndPump);
  }

  boolean isReset() {
    return reset;
  }

  /** Ends it as a broken network does: whoever uses it sees a reset, not a regular end. */
  void reset() {
    reset = true;
    for (Socket socket : new Socket[] {client, server}) {
      try {
        socket.setSoLinger(true, 0);
      } catch (IOException notOpen) {
        // Then there is nothing to reset.
      }
      close(socket);
    }
    proxy.ended(this);
  }

  private void connectAndPump() {
    try {
      proxy.pass(this, false);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(target);
    } catch (IOException | InterruptedException unreachable) {
      reset();
      return;
    }
    TcpProxy.daemon("tcp-proxy-answers", () -> pump(server, client, true));
    pump(client, server, false);
  }

  private void pump(Socket from, Socket to, boolean answer) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] piece = new byte[PIECE];
      for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
        proxy.pass(this, answer);
        out.write(piece, 0, length);
      }
      // A regular end is passed on, too; the other direction goes on until its own.
      proxy.pass(this, answer);
      to.shutdownOutput();
      if (from.isOutputShutdown()) {
        close(from);
        close(to);
        proxy.ended(this);
      }
    } catch (IOException | InterruptedException broken) {
      reset();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }
}
