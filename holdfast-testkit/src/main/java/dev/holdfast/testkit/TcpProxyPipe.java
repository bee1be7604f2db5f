package dev.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One direction of a connection through a {@link TcpProxy}. One thread reads and notes when each
 * piece came, another passes them on when they are due: a piece that waits does not keep the next
 * one from being on its way.
 */
final class TcpProxyPipe {

  static final int PIECE = 16 * 1024;

  // So much is under way at most; then the sender has to wait, as on a real network.
  private static final int PIECES = 1024;

  private enum Kind {
    BYTES,
    END,
    BREAK
  }

  private record Piece(Kind kind, byte[] bytes, long came) {

    static Piece last(Kind kind) {
      return new Piece(kind, new byte[0], System.nanoTime());
    }
  }

  private final TcpProxy proxy;
  private final TcpProxyConnection connection;
  private final Socket from;
  private final Socket to;
  private final boolean answers;
  private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(PIECES);

  TcpProxyPipe(
      TcpProxy proxy, TcpProxyConnection connection, Socket from, Socket to, boolean answers) {
    this.proxy = proxy;
    this.connection = connection;
    this.from = from;
    this.to = to;
    this.answers = answers;
  }

  void start() {
    TcpProxy.daemon("tcp-proxy-reading", this::read);
    TcpProxy.daemon("tcp-proxy-writing", this::write);
  }

  private void read() {
    try {
      pieces.put(Piece.last(readBytes()));
    } catch (InterruptedException e) {
      connection.reset();
    }
  }

  /** Returns how it ended. */
  private Kind readBytes() throws InterruptedException {
    try {
      InputStream in = from.getInputStream();
      byte[] buffer = new byte[PIECE];
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        pieces.put(new Piece(Kind.BYTES, Arrays.copyOf(buffer, length), System.nanoTime()));
      }
      return Kind.END;
    } catch (IOException broken) {
      return Kind.BREAK;
    }
  }

  private void write() {
    try {
      OutputStream out = to.getOutputStream();
      for (Piece piece = passed(); piece.kind() != Kind.BREAK; piece = passed()) {
        if (piece.kind() == Kind.END) {
          connection.end(from, to);
          return;
        }
        out.write(piece.bytes());
      }
    } catch (IOException | InterruptedException broken) {
      // As a break of the other side: below.
    }
    connection.reset();
    pieces.clear(); // room for a reader that waits for it, which then finds its socket closed
  }

  /** The next piece, when it may go on. */
  private Piece passed() throws IOException, InterruptedException {
    Piece piece = pieces.take();
    if (!answers) {
      proxy.heard(piece.bytes());
    }
    proxy.pass(connection, answers, piece.came());
    return piece;
  }
}
