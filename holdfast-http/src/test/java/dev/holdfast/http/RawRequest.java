package dev.holdfast.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A connection on which a test writes what no client library would. */
final class RawRequest implements AutoCloseable {

  /** Never reached by a server that answers. */
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;

  RawRequest(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** The head of a request for the lock {@code orders}; each further line ends with CR and LF. */
  static String head(long length, String... lines) {
    return "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + length
        + "\r\n"
        + String.join("", lines)
        + "\r\n";
  }

  RawRequest write(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
    return this;
  }

  /** One answer with its body, while the connection may stay open; as much of it as came. */
  String answer() throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    try {
      int next = in.read();
      while (next >= 0) {
        answer.write(next);
        if (isWhole(answer.toString(StandardCharsets.UTF_8))) {
          break;
        }
        next = in.read();
      }
    } catch (SocketException reset) {
      // as much as came
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  private static boolean isWhole(String answer) {
    int end = answer.indexOf("\r\n\r\n");
    if (end < 0) {
      return false;
    }
    for (String line : answer.substring(0, end).split("\r\n")) {
      if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
        long length = Long.parseLong(line.substring(15).trim());
        return answer.substring(end + 4).getBytes(StandardCharsets.UTF_8).length >= length;
      }
    }
    return false;
  }

  /** Waits until the server hangs up. */
  void awaitEnd() throws IOException {
    try {
      while (socket.getInputStream().read() >= 0) {
        // what else it says does not matter
      }
    } catch (SocketException reset) {
      // that is an end too
    }
  }

  /** The status and the body, in one line. */
  static String summary(String answer) {
    String[] parts = answer.split("\r\n\r\n", 2);
    String[] words = parts[0].split(" ", 3);
    return (words.length < 2 ? "none" : words[1]) + " " + (parts.length < 2 ? "" : parts[1]);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
