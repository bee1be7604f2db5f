package dev.holdfast.http;

import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.RequestGuard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BinaryOperator;

class HttpServerGuardTest extends HttpGuardContract {

  @Override
  Server start(RequestGuard guard) throws IOException {
    return start(guard, 1, this::handle);
  }

  /** With this many threads; the handler answers with the proof and the body. */
  static Server start(RequestGuard guard, int threads, BinaryOperator<String> handler)
      throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    server.setExecutor(pool);
    HttpContext context = server.createContext("/", exchange -> answer(exchange, handler));
    context
        .getFilters()
        .add(
            new HttpServerGuard(
                guard, exchange -> exchange.getRequestURI().getPath().substring(1)));
    server.start();
    return new Server() {
      @Override
      public int port() {
        return server.getAddress().getPort();
      }

      @Override
      public void close() {
        server.stop(0);
        pool.shutdownNow();
      }
    };
  }

  private static void answer(HttpExchange exchange, BinaryOperator<String> handler)
      throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    byte[] answer =
        handler
            .apply(exchange.getRequestHeaders().getFirst(ProofHeader.NAME), body)
            .getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
