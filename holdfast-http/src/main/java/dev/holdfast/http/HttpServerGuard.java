package dev.holdfast.http;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import dev.holdfast.LockException;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * Guards what stands behind the JDK's own HTTP server: admits a request only if its sender holds
 * the lock now and no later holder has been here.
 *
 * <pre>{@code
 * HttpContext orders = server.createContext("/orders", handler);
 * orders.getFilters().add(new HttpServerGuard(guard, exchange -> "orders"));
 * }</pre>
 *
 * <p>Refuses with a body of {@code application/problem+json}: 409 if the sender does not hold the
 * lock, or the proof is of another lock; 412 if a later holder has been here; 428 and 400 if there
 * is no proof or it cannot be read; 403 if the guard wants it signed and it is not; 503 if the
 * lock's store does not answer. A handler that writes more than once calls {@link
 * RequestGuard#check} before each further write; what that throws is answered in the same way,
 * unless the handler has begun to answer. A sender that is refused is answered before the rest of
 * its body is read. Of that no more than 64 KiB (the server's {@code
 * sun.net.httpserver.drainAmount}) and no longer than a second is read; then the connection is
 * closed.
 *
 * <p><b>Threads.</b> Any, as the server's.
 */
public final class HttpServerGuard extends Filter {

  private final Gate gate;
  private final Function<HttpExchange, String> lock;

  /**
   * Guards a context.
   *
   * @param lock the name of the lock that protects what a request asks for
   */
  public HttpServerGuard(RequestGuard guard, Function<HttpExchange, String> lock) {
    this.gate = new Gate(guard);
    this.lock = lock;
  }

  @Override
  public String description() {
    return "admits requests of a lock's holder";
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    Proof proof;
    try {
      List<String> headers = exchange.getRequestHeaders().getOrDefault(ProofHeader.NAME, List.of());
      proof = gate.enter(headers, lock.apply(exchange));
    } catch (RefusedException e) {
      answer(exchange, e.problem());
      return;
    }
    try {
      chain.doFilter(exchange);
    } catch (LockException e) {
      if (exchange.getResponseCode() != -1 || !Gate.refuses(e, proof)) {
        throw e;
      }
      answer(exchange, Problem.of(e));
    }
  }

  private static void answer(HttpExchange exchange, Problem problem) throws IOException {
    byte[] json = problem.json();
    exchange.getResponseHeaders().set("Content-Type", Problem.MEDIA_TYPE);
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.getResponseHeaders().set("Connection", "close");
    boolean bare = exchange.getRequestMethod().equals("HEAD");
    // Closing the exchange reads what is left of the body, and would wait for it without end. An
    // interrupt ends that read and closes the connection, as it does for all of NIO's channels.
    try (TimeLimit limit = new TimeLimit(Gate.LONGEST_DRAIN);
        exchange) {
      exchange.sendResponseHeaders(problem.status(), bare ? -1 : json.length);
      if (!bare) {
        exchange.getResponseBody().write(json);
        exchange.getResponseBody().flush();
      }
    }
  }
}
