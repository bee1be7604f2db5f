package dev.holdfast.consul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Passes requests on to a real agent, but holds one back, or answers it by itself. */
final class LateAgent implements HttpHandler {

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String agent;
  private final AtomicReference<@Nullable String> stalling = new AtomicReference<>();
  private final AtomicReference<@Nullable String> denying = new AtomicReference<>();
  private final CountDownLatch stalled = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  LateAgent(int port) {
    this.agent = "http://127.0.0.1:" + port;
  }

  /** The next request with this in its path or body waits until it may go on. */
  void stallNext(String part) {
    stalling.set(part);
  }

  /** The next request with this in its path or body is answered: not found. */
  void denyNext(String part) {
    denying.set(part);
  }

  boolean isStalled() {
    return stalled.getCount() == 0;
  }

  void goOn() {
    goOn.countDown();
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String text = exchange.getRequestURI() + new String(body, StandardCharsets.UTF_8);
    try {
      if (isNext(denying, text)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      if (isNext(stalling, text)) {
        stalled.countDown();
        goOn.await();
      }
      passOn(exchange, body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  private void passOn(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(agent + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
    answer
        .headers()
        .firstValue("X-Consul-Index")
        .ifPresent(index -> exchange.getResponseHeaders().set("X-Consul-Index", index));
    int length = answer.body().length;
    exchange.sendResponseHeaders(answer.statusCode(), length == 0 ? -1 : length);
    exchange.getResponseBody().write(answer.body());
  }

  private static boolean isNext(AtomicReference<@Nullable String> wanted, String text) {
    String part = wanted.get();
    return part != null && text.contains(part) && wanted.compareAndSet(part, null);
  }
}
