package dev.holdfast.servers.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of Redis's protocol that is needed to set servers up: one connection per command. */
public final class RespClient {

  private static final int PATIENCE_MILLIS = 5_000;

  private RespClient() {}

  /**
   * Sends a command.
   *
   * @return a String, a Long, a List of these, or null
   * @throws IOException if there is no answer, or the answer is an error
   */
  public static @Nullable Object ask(int port, List<String> command) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      StringBuilder request = new StringBuilder("*" + command.size() + "\r\n");
      for (String word : command) {
        int length = word.getBytes(StandardCharsets.UTF_8).length;
        request.append('$').append(length).append("\r\n").append(word).append("\r\n");
      }
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
      return answer(new BufferedInputStream(socket.getInputStream()));
    }
  }

  private static @Nullable Object answer(InputStream in) throws IOException {
    int type = in.read();
    String line = line(in);
    switch (type) {
      case '+':
        return line;
      case '-':
        throw new IOException(line);
      case ':':
        return Long.valueOf(line);
      case '$':
        return Integer.parseInt(line) < 0 ? null : text(in, Integer.parseInt(line));
      case '*':
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(line); i++) {
          items.add(answer(in));
        }
        return items;
      default:
        throw new EOFException("no answer");
    }
  }

  private static String text(InputStream in, int length) throws IOException {
    String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    line(in);
    return text;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection was closed");
      }
      line.write(next);
    }
    in.read(); // the line feed
    return line.toString(StandardCharsets.UTF_8);
  }
}
