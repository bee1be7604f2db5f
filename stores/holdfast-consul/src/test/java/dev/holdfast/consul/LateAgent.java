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
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Forwards requests to a real agent, but delays some, or changes their answers. */
public final class LateAgent implements HttpHandler {

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String agent;
  private final Queue<Stall> stalls = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable String> denying = new AtomicReference<>();
  private final AtomicReference<@Nullable String> losing = new AtomicReference<>();
  private final Queue<String> paths = new ConcurrentLinkedQueue<>();

  // Mutable state
  private volatile UnaryOperator<String> indexes = UnaryOperator.identity();

  public LateAgent(int port) {
    this.agent = "http://127.0.0.1:" + port;
  }

  /** The next request with this in its path or body waits until it may go on. */
  public Stall stallNext(String part) {
    Stall stall = new Stall(part);
    stalls.add(stall);
    return stall;
  }

  /** The next request with this in its path or body is answered: not found. */
  public void denyNext(String part) {
    denying.set(part);
  }

  /** The next request with this in its path or body is carried out, but not answered. */
  public void loseAnswerOfNext(String part) {
    losing.set(part);
  }

  /** Changes the index in answers from now on; empty: removes it. */
  public void sayIndex(UnaryOperator<String> other) {
    indexes = other;
  }

  /** Counts the requests with this in their path. */
  public long count(String part) {
    return paths.stream().filter(path -> path.contains(part)).count();
  }

  /** A request that is delayed. */
  public static final class Stall {
    private final String part;
    private final CountDownLatch stalled = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private Stall(String part) {
      this.part = part;
    }

    /** Waits until the request is there. */
    public Stall await() {
      Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> stalled.getCount() == 0);
      return this;
    }

    public void goOn() {
      goOn.countDown();
    }

    private void stall() throws InterruptedException {
      stalled.countDown();
      goOn.await();
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String text = exchange.getRequestURI() + new String(body, StandardCharsets.UTF_8);
    paths.add(exchange.getRequestURI().toString());
    try {
      if (isNext(denying, text)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      for (Stall stall : stalls) {
        if (text.contains(stall.part) && stalls.remove(stall)) {
          stall.stall();
        }
      }
      HttpResponse<byte[]> answer = passOn(exchange, body);
      if (!isNext(losing, text)) {
        answer(exchange, answer);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  private static boolean isNext(AtomicReference<@Nullable String> wanted, String text) {
    String part = wanted.get();
    return part != null && text.contains(part) && wanted.compareAndSet(part, null);
  }

  private HttpResponse<byte[]> passOn(HttpExchange exchange, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(agent + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, BodyHandlers.ofByteArray());
  }

  private void answer(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
    answer
        .headers()
        .firstValue("X-Consul-Index")
        .map(indexes)
        .filter(index -> !index.isEmpty())
        .ifPresent(index -> exchange.getResponseHeaders().set("X-Consul-Index", index));
    int length = answer.body().length;
    exchange.sendResponseHeaders(answer.statusCode(), length == 0 ? -1 : length);
    exchange.getResponseBody().write(answer.body());
  }
}
