package dev.holdfast.servers.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Plain-text and HTTP requests to a server on this machine. */
public final class PlainClient {

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  private PlainClient() {}

  /** Connects, and sends nothing. */
  public static void reach(int port) throws IOException {
    try (Socket socket = new Socket()) {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      socket.connect(new InetSocketAddress(loopback, port), (int) PATIENCE.toMillis());
    }
  }

  /** The server's answer to this text, as far as it arrives in one piece. */
  public static String ask(int port, String words) throws IOException {
    try (Socket socket = new Socket()) {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      socket.connect(new InetSocketAddress(loopback, port), (int) PATIENCE.toMillis());
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
      byte[] answer = new byte[4096];
      int length = socket.getInputStream().read(answer);
      return new String(answer, 0, Math.max(length, 0), StandardCharsets.UTF_8);
    }
  }

  /** The body of what is at this path; any status but 200 is an exception with the body in it. */
  public static String get(int port, String path) throws IOException {
    return send(port, path, HttpRequest.newBuilder().GET());
  }

  /** The answer to a PUT of this body. */
  public static String put(int port, String path, String body) throws IOException {
    return send(
        port, path, HttpRequest.newBuilder().PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** The answer to a POST of this body. */
  public static String post(int port, String path, String body) throws IOException {
    return send(
        port, path, HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static String send(int port, String path, HttpRequest.Builder request)
      throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    try {
      HttpResponse<String> response =
          HTTP.send(
              request.uri(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException(uri + " answers " + response.statusCode() + " " + response.body());
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
