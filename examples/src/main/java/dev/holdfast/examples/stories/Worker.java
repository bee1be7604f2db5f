package dev.holdfast.examples.stories;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.http.HttpServerGuard;
import dev.holdfast.http.ProofHeader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A worker that takes orders over HTTP: it keeps one text per lock, and {@code PUT /guarded/NAME}
 * replaces it for the current holder of the lock NAME. It checks both the sender and the token, so
 * that a master that lost the lock is refused, whatever its own clock says.
 *
 * <p>One request at a time, which is the server's default: no other request enters between a check
 * and the write that follows it.
 */
public final class Worker implements AutoCloseable {

  private static final String GUARDED = "/guarded/";
  private static final String LOOK = "/look/";

  static {
    // Otherwise each answer waits for the client's delayed acknowledgement of its headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final Map<String, String> texts = new ConcurrentHashMap<>();
  private final Holdfast locks;
  private final RequestGuard guard;
  private final HttpServer server;

  private Worker(Holdfast locks) throws IOException {
    this.locks = locks;
    // sample: guard
    this.guard = RequestGuard.of(locks, Fence.inMemory()); // the fence beside the data
    // end
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    // sample: filter
    server
        .createContext(GUARDED, this::serve)
        .getFilters()
        .add(new HttpServerGuard(guard, exchange -> name(exchange, GUARDED)));
    // end
    server.createContext(LOOK, exchange -> answer(exchange, text(name(exchange, LOOK))));
    server.start();
  }

  /** Serves on a free port; asks the store at this URL for the holders. */
  public static Worker start(String store) throws IOException {
    return new Worker(Holdfast.connect(store));
  }

  /** Where it listens. */
  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    String name = name(exchange, GUARDED);
    String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    if (exchange.getRequestMethod().equals("PUT")) {
      // sample: check
      Proof proof = Proof.parse(exchange.getRequestHeaders().getFirst(ProofHeader.NAME));
      guard.check(proof); // with each write; the filter has entered before the first read
      texts.put(name, sent);
      // end
    }
    answer(exchange, text(name));
  }

  private String text(String name) {
    return texts.getOrDefault(name, "");
  }

  private static String name(HttpExchange exchange, String context) {
    return exchange.getRequestURI().getPath().substring(context.length());
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    locks.close();
  }
}
