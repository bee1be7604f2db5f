package dev.holdfast.http;

import dev.holdfast.RequestGuard;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.function.BinaryOperator;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

class ServletGuardTest extends HttpGuardContract {

  @Override
  Server start(RequestGuard guard) throws Exception {
    return start(guard, 1, this::handle);
  }

  /** With this many request threads; the handler answers with the proof and the body. */
  static Server start(RequestGuard guard, int threads, BinaryOperator<String> handler)
      throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool(threads + 4); // the others accept and select
    pool.setReservedThreads(0);
    org.eclipse.jetty.server.Server jetty = new org.eclipse.jetty.server.Server(pool);
    ServerConnector connector = new ServerConnector(jetty, 1, 1);
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(new ServletHolder(new Orders(handler)), "/*");
    context.addFilter(
        new FilterHolder(new ServletGuard(guard, request -> request.getPathInfo().substring(1))),
        "/*",
        EnumSet.of(DispatcherType.REQUEST));
    jetty.setHandler(context);
    jetty.start();
    return new Server() {
      @Override
      public int port() {
        return connector.getLocalPort();
      }

      @Override
      public void close() throws Exception {
        jetty.stop();
      }
    };
  }

  private static final class Orders extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient BinaryOperator<String> handler;

    Orders(BinaryOperator<String> handler) {
      this.handler = handler;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      response.getWriter().write(handler.apply(request.getHeader(ProofHeader.NAME), body));
    }
  }
}
