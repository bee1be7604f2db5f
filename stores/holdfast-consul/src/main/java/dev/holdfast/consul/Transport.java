package dev.holdfast.consul;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One HTTP exchange with one agent. Never repeats anything. */
final class Transport {

  private final HttpClient client;
  private final Map<String, String> headers;
  private final String datacenter;
  private final Ticker ticker;

  /**
   * Exchanges that all carry these headers.
   *
   * @param datacenter empty: that of the agent
   */
  Transport(
      @Nullable SSLContext tls, Map<String, String> headers, String datacenter, Ticker ticker) {
    this.client = tls == null ? Shared.CLIENT : builder().sslContext(tls).build();
    this.headers = headers;
    this.datacenter = datacenter;
    this.ticker = ticker;
  }

  /**
   * What an agent answered.
   *
   * @param index the one that a blocking query goes on from; 0 where there is none
   */
  record Answer(int status, String body, long index) {}

  /** The whole answer, within this time. Cancelling the future ends the exchange. */
  CompletableFuture<Answer> send(
      String agent, String method, String path, String body, Duration timeout) {
    CompletableFuture<HttpResponse<String>> sent =
        client.sendAsync(
            request(agent, method, path, body, timeout),
            BodyHandlers.ofString(StandardCharsets.UTF_8));
    CompletableFuture<Answer> answer =
        sent.thenApply(
            got ->
                new Answer(
                    got.statusCode(),
                    got.body(),
                    got.headers().firstValueAsLong("X-Consul-Index").orElse(0)));
    // The client's own time-out ends with the headers (JDK-8258397): a body may stall for ever.
    Registration end =
        ticker.schedule(
            timeout,
            () -> answer.completeExceptionally(new HttpTimeoutException("no whole answer")));
    var unused =
        answer.whenComplete(
            (got, failure) -> {
              end.close();
              sent.cancel(true); // if it was given up; otherwise it is done
            });
    return answer;
  }

  private HttpRequest request(
      String agent, String method, String path, String body, Duration timeout) {
    String where =
        datacenter.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + "dc=" + datacenter;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(agent + path + where))
            .timeout(timeout.isZero() ? Duration.ofNanos(1) : timeout)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    headers.forEach(request::header);
    return request.build();
  }

  /** Why there was no answer, in a few words. */
  static String reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof HttpTimeoutException) {
      return "time-out";
    }
    if (cause instanceof ConnectException) {
      return cause.getCause() instanceof UnresolvedAddressException
          ? "unknown host"
          : "cannot connect";
    }
    String message = cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
  }

  /**
   * Before JDK 21 a client cannot be closed, so that one serves all who trust whom the JVM does.
   */
  private static final class Shared {
    static final HttpClient CLIENT = builder().build();
  }
}
