package dev.holdfast.consul;

import dev.holdfast.StoreException;
import dev.holdfast.consul.HttpTransport.Answer;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.NoAnswerException;
import dev.holdfast.spi.support.RequestLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to Consul, each with a deadline. A request that may be carried out twice goes to
 * the next agent if one does not answer; a join is sent once, and fails with {@link
 * NoAnswerException}. Thread-safe.
 */
final class ConsulClient {

  private static final int LIMIT = 16;
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration SHORTEST_ATTEMPT = Duration.ofMillis(200);

  private final String url;
  private final HttpTransport transport;
  private final Ticker ticker;
  private final Duration timeout;
  private final Failures failures;
  private final long attemptNanos;
  // Only joins may be any number: renewals and releases must not wait behind them.
  private final RequestLimiter joins = new RequestLimiter(LIMIT);
  private final RequestLimiter others = new RequestLimiter(LIMIT);

  // Mutable state
  private volatile boolean closed;

  ConsulClient(String url, HttpTransport transport, Ticker ticker, Duration timeout) {
    this.url = url;
    this.transport = transport;
    this.ticker = ticker;
    this.timeout = timeout;
    this.failures = new Failures(url);
    // A connection that hangs must leave time for the other agents.
    long share = timeout.toNanos() / transport.agents().size();
    this.attemptNanos = Math.max(share, SHORTEST_ATTEMPT.toNanos());
  }

  Failures failures() {
    return failures;
  }

  /**
   * @return one operation time-out from now, for operations that come without a deadline
   */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * @param lock the lock's name, or empty
   * @param body called when the request is sent; if it throws, nothing is sent
   * @param repeatable whether it may be carried out twice, the second time after any delay
   */
  private record Request(
      String verb,
      String lock,
      String method,
      String path,
      Supplier<String> body,
      boolean repeatable) {}

  /**
   * @return the answer, with status 200, 404 or 409
   */
  CompletableFuture<Answer> send(
      String verb, String method, String path, String body, Deadline deadline) {
    return new Attempts(new Request(verb, "", method, path, () -> body, true), deadline).send();
  }

  /** Sends a transaction; its result says which of its conditions did not hold. */
  CompletableFuture<Transaction.Result> transact(
      String verb, String lock, Transaction transaction, Deadline deadline) {
    return transact(verb, lock, transaction, transaction::json, true, deadline);
  }

  /**
   * Sends a transaction whose conditions always hold, such as one that only reads. If it does not
   * take effect, that says nothing of what is stored, and is a failure.
   */
  CompletableFuture<Transaction.Result> transactUnconditionally(
      String verb, String lock, Transaction transaction, Deadline deadline) {
    return transact(verb, lock, transaction, deadline)
        .thenApply(
            result -> {
              if (!result.tookEffect()) {
                throw refused(verb, lock, result);
              }
              return result;
            });
  }

  /** What Consul says of a transaction that did not take effect, though it should have. */
  StoreException refused(String verb, String lock, Transaction.Result result) {
    return failures.refused(verb, lock, result.errors().values().toString(), null);
  }

  /**
   * Sends a join once: it must not be carried out late.
   *
   * @param body called when it is sent; if it throws, nothing is sent
   */
  CompletableFuture<Transaction.Result> join(
      String lock, Transaction join, Supplier<String> body, Deadline deadline) {
    return transact("join", lock, join, body, false, deadline);
  }

  private CompletableFuture<Transaction.Result> transact(
      String verb,
      String lock,
      Transaction transaction,
      Supplier<String> body,
      boolean repeatable,
      Deadline deadline) {
    Request request = new Request(verb, lock, "PUT", "/v1/txn?consistent", body, repeatable);
    Attempts attempts = new Attempts(request, deadline);
    return attempts
        .send()
        .thenApply(
            answer -> {
              Transaction.Result result =
                  Transaction.Result.of(transaction, answer.body(), attempts.count > 1);
              if (result.failedWith("Permission denied")) {
                throw refused(verb, lock, result);
              }
              return result;
            });
  }

  /** Sends nothing any more. */
  void close() {
    closed = true;
  }

  private final class Attempts {
    private final Request request;
    private final Deadline deadline;
    private final CompletableFuture<Answer> result = new CompletableFuture<>();

    // Mutable state: attempts come one after the other
    private int count;
    private @Nullable NoAnswerException silence;

    Attempts(Request request, Deadline deadline) {
      this.request = request;
      this.deadline = deadline;
    }

    CompletableFuture<Answer> send() {
      (request.repeatable ? others : joins).run(this::start);
      return result;
    }

    private CompletableFuture<Answer> start() {
      if (closed || deadline.isOver()) {
        String what = Failures.request(request.verb, request.lock);
        String why = closed ? "the store is closed" : "its deadline has passed";
        String message = "The " + what + " was not sent to " + url + ": " + why;
        result.completeExceptionally(new StoreException(request.lock, message));
      } else {
        attempt();
      }
      return result;
    }

    private void attempt() {
      count++;
      int agent = transport.current();
      long left = Math.max(0, deadline.remainingNanos());
      Duration time = Duration.ofNanos(Math.min(attemptNanos, left));
      try {
        var unused =
            transport
                .send(agent, request.method, request.path, request.body.get(), time)
                .whenComplete(
                    (answer, failure) -> {
                      if (failure != null) {
                        silent(agent, HttpTransport.reason(failure), failure);
                      } else {
                        answered(agent, answer);
                      }
                    });
      } catch (RuntimeException notSent) { // such as a join that was given up
        result.completeExceptionally(notSent);
      }
    }

    private void answered(int agent, Answer answer) {
      int status = answer.status();
      if (status == 200 || status == 404 || status == 409) {
        result.complete(answer);
        return;
      }
      String why = "status " + status + ", " + answer.body().lines().findFirst().orElse("");
      if ((status >= 500 && !why.contains("Invalid Session TTL")) || status == 429) {
        silent(agent, why, null);
      } else {
        result.completeExceptionally(failures.refused(request.verb, request.lock, why, null));
      }
    }

    private void silent(int agent, String why, @Nullable Throwable cause) {
      transport.failed(agent, why);
      boolean last = !request.repeatable || closed || deadline.remaining().compareTo(PAUSE) <= 0;
      // The last attempt may have had too little time: then the one before it knows more.
      if (silence == null || !last) {
        silence = failures.noAnswer(request.verb, request.lock, why, cause);
      }
      if (last) {
        result.completeExceptionally(silence);
      } else if (count < transport.agents().size()) {
        attempt();
      } else {
        var unused = ticker.schedule(PAUSE, this::attempt);
      }
    }
  }

  @Override
  public String toString() {
    return url;
  }
}
