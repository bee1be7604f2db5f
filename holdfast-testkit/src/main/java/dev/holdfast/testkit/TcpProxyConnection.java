package dev.holdfast.testkit;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;

/** One connection through a {@link TcpProxy}: two sockets, and a pipe for each direction. */
final class TcpProxyConnection {

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
    long came = System.nanoTime();
    TcpProxy.daemon("tcp-proxy-connecting", () -> connect(came));
  }

  boolean isReset() {
    return reset;
  }

  /** Ends it as a broken network does: both sides see a reset, not a regular end. */
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

  /** Passes a regular end on; the other direction goes on until its own. */
  void end(Socket from, Socket to) throws IOException {
    to.shutdownOutput();
    if (from.isOutputShutdown()) {
      close(from);
      close(to);
      proxy.ended(this);
    }
  }

  private void connect(long came) {
    try {
      proxy.pass(this, false, came);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(target);
    } catch (IOException | InterruptedException unreachable) {
      reset();
      return;
    }
    new TcpProxyPipe(proxy, this, client, server, false).start();
    new TcpProxyPipe(proxy, this, server, client, true).start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }
}
