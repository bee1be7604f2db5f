package dev.holdfast.http;

import dev.holdfast.LockException;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.function.Function;

/**
 * Guards servlets: admits a request only if its sender holds the lock now and no later holder has
 * been here. Answers as {@link HttpServerGuard} does, before it reads the rest of a refused body.
 * What a container reads by itself after that, before it closes the connection, is its own matter.
 *
 * <p>A servlet that writes more than once calls {@link RequestGuard#check} before each further
 * write; what that throws is answered in the same way, unless the response is committed. What is
 * thrown after {@code startAsync}, on another thread, does not come past here.
 *
 * <p><b>Threads.</b> Any, as the container's. It needs asynchronous support where servlets do.
 */
public final class ServletGuard implements Filter {

  private final Gate gate;
  private final Function<HttpServletRequest, String> lock;

  /**
   * Guards what it is mapped to.
   *
   * @param lock the name of the lock that protects what a request asks for
   */
  public ServletGuard(RequestGuard guard, Function<HttpServletRequest, String> lock) {
    this.gate = new Gate(guard);
    this.lock = lock;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    HttpServletResponse answer = (HttpServletResponse) response;
    Proof proof;
    try {
      proof = gate.enter(Collections.list(asked.getHeaders(ProofHeader.NAME)), lock.apply(asked));
    } catch (RefusedException e) {
      answer(asked, answer, e.problem());
      return;
    }
    try {
      chain.doFilter(request, response);
    } catch (LockException e) {
      if (answer.isCommitted() || !Gate.refuses(e, proof)) {
        throw e;
      }
      answer(asked, answer, Problem.of(e));
    }
  }

  private static void answer(HttpServletRequest asked, HttpServletResponse answer, Problem problem)
      throws IOException {
    byte[] json = problem.json();
    answer.reset();
    answer.setStatus(problem.status());
    answer.setContentType(Problem.MEDIA_TYPE);
    answer.setHeader("X-Content-Type-Options", "nosniff");
    if (asked.getProtocol().startsWith("HTTP/1")) { // later versions have no such header
      answer.setHeader("Connection", "close");
    }
    answer.setContentLength(json.length);
    answer.getOutputStream().write(json);
    answer.flushBuffer();
    drain(asked);
  }

  private static void drain(HttpServletRequest asked) {
    byte[] scrap = new byte[8 * 1024];
    try (TimeLimit limit = new TimeLimit(Gate.LONGEST_DRAIN)) {
      InputStream body = asked.getInputStream();
      int left = Gate.MOST_DRAINED;
      int read = 0;
      while (read >= 0 && left > 0) {
        read = body.read(scrap, 0, Math.min(scrap.length, left));
        left -= read;
      }
    } catch (IOException | IllegalStateException cutOff) {
      // The time is over, the sender has disconnected, or another filter has the body's reader.
    }
  }
}
