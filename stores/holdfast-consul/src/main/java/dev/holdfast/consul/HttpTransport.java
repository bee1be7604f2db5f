package dev.holdfast.consul;

import dev.holdfast.PrintableText;
import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import java.lang.System.Logger.Level;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * Carries out single HTTP exchanges with the agents in the URL; never repeats one. All should go to
 * the same agent as long as it answers. Thread-safe.
 */
final class HttpTransport {

  private static final System.Logger LOG = System.getLogger(HttpTransport.class.getName());

  private final List<String> agents;
  private final HttpClient client;
  private final Map<String, String> headers;
  private final String datacenter;
  private final Ticker ticker;
  private final AtomicInteger current = new AtomicInteger();

  HttpTransport(ConsulAddress address, Ticker ticker) {
    SSLContext tls = address.tls();
    this.agents = address.agents();
    this.client = tls == null ? DefaultClient.CLIENT : builder().sslContext(tls).build();
    this.headers = address.headers();
    this.datacenter = address.datacenter();
    this.ticker = ticker;
  }

  /**
   * What an agent answered.
   *
   * @param index where a blocking query goes on; 0 if the answer has none
   */
  record Answer(int status, String body, long index) {}

  List<String> agents() {
    return agents;
  }

  /**
   * @return the number of the agent in use
   */
  int current() {
    return current.get();
  }

  /** Switches to the next agent, unless that has happened. */
  void failed(int agent, String why) {
    int next = (agent + 1) % agents.size();
    if (next != agent && current.compareAndSet(agent, next)) {
      LOG.log(
          Level.WARNING,
          "No answer from {0} ({1}); continuing with {2}",
          agents.get(agent),
          PrintableText.message(why),
          agents.get(next));
    }
  }

  /**
   * Sends a request.
   *
   * @return the whole answer, within the time; cancelling it ends the exchange
   */
  CompletableFuture<Answer> send(
      int agent, String method, String path, String body, Duration time) {
    String query =
        datacenter.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + "dc=" + datacenter;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(agents.get(agent) + path + query))
            .timeout(time.isZero() ? Duration.ofNanos(1) : time)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    headers.forEach(request::header);
    CompletableFuture<HttpResponse<String>> sent =
        client.sendAsync(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
    CompletableFuture<Answer> answer =
        sent.thenApply(
            got ->
                new Answer(
                    got.statusCode(),
                    got.body(),
                    got.headers().firstValueAsLong("X-Consul-Index").orElse(0)));
    // The client's own time-out ends with the headers (JDK-8258397): the body may stall for ever.
    Registration timer =
        ticker.schedule(
            time, () -> answer.completeExceptionally(new HttpTimeoutException("no whole answer")));
    var unused =
        answer.whenComplete(
            (got, failure) -> {
              timer.close();
              sent.cancel(true); // no effect if it has ended
            });
    return answer;
  }

  /**
   * @return why there was no answer, in a few words
   */
  static String reason(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    if (cause instanceof HttpTimeoutException) {
      return "time-out";
    }
    if (cause instanceof ConnectException) {
      return cause.getCause() instanceof UnresolvedAddressException
          ? "unknown host"
          : "cannot connect";
    }
    return Failures.reason(cause);
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
  }

  /** Before JDK 21 a client cannot be closed, so all stores that use the JVM's trust share one. */
  private static final class DefaultClient {
    static final HttpClient CLIENT = builder().build();
  }
}
