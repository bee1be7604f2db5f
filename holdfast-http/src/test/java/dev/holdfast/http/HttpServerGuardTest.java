package dev.holdfast.http;

import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.RequestGuard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

class HttpServerGuardTest extends HttpGuardContract {

  @Override
  Server start(RequestGuard guard) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    HttpContext context = server.createContext("/", this::answer);
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
      }
    };
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    byte[] answer =
        handle(exchange.getRequestHeaders().getFirst(ProofHeader.NAME), body)
            .getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
