package dev.holdfast.consul;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests to Consul, each within a deadline. One that may be carried out twice is sent to the next
 * agent if the first does not answer; any other fails with {@link NoAnswerException}.
 */
final class Calls {

  private static final int AT_ONCE = 16;
  private static final Duration REST = Duration.ofMillis(50);
  private static final Duration SHORTEST_ATTEMPT = Duration.ofMillis(200);

  private final String url;
  private final Members members;
  private final Transport transport;
  private final Ticker ticker;
  private final Duration timeout;
  // Joins are the only ones without bound: those who renew or leave must not wait behind them.
  private final Slots joins = new Slots(AT_ONCE);
  private final Slots others = new Slots(AT_ONCE);

  // Mutable state
  private volatile boolean closed;

  Calls(String url, Members members, Transport transport, Ticker ticker, Duration timeout) {
    this.url = url;
    this.members = members;
    this.transport = transport;
    this.ticker = ticker;
    this.timeout = timeout;
  }

  /**
   * What to ask for.
   *
   * @param what how messages name it
   * @param lock which lock it is about, or empty
   * @param body made when it is sent, not when it is asked for
   * @param repeatable whether it may be carried out twice, the second time after any delay
   */
  record Request(
      String what,
      String lock,
      String method,
      String path,
      Supplier<String> body,
      boolean repeatable) {

    static Request get(String what, String path) {
      return new Request(what, "", "GET", path, () -> "", true);
    }

    /** The same, telling what is sent each time it is sent. */
    Request whoseBodyIsTold(Consumer<String> told) {
      Supplier<String> telling =
          () -> {
            String text = body.get();
            told.accept(text);
            return text;
          };
      return new Request(what, lock, method, path, telling, repeatable);
    }

    static Request put(String what, String path, String body) {
      return new Request(what, "", "PUT", path, () -> body, true);
    }
  }

  /** For an operation that came without one, beginning now. */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /** A transaction; what its conditions did not allow is in the answer. */
  CompletableFuture<Done> txn(String what, String lock, Txn txn, Deadline deadline) {
    return txn(txnRequest(what, lock, txn::json, true), deadline);
  }

  /**
   * A transaction whose conditions always hold, such as one that only reads: that it did not take
   * effect says nothing of what is there, and is a failure.
   */
  CompletableFuture<Done> sureTxn(String what, String lock, Txn txn, Deadline deadline) {
    Request request = txnRequest(what, lock, txn::json, true);
    return txn(request, deadline)
        .thenApply(
            done -> {
              if (!done.tookEffect()) {
                throw new StoreException(lock, refusal(request, done.errors().values().toString()));
              }
              return done;
            });
  }

  /** A join: a transaction that must not come late, and is not sent if making it fails. */
  CompletableFuture<Done> txnOnce(String what, String lock, Supplier<Txn> txn, Deadline deadline) {
    return txn(txnRequest(what, lock, () -> txn.get().json(), false), deadline);
  }

  private static Request txnRequest(
      String what, String lock, Supplier<String> body, boolean repeatable) {
    return new Request(what, lock, "PUT", "/v1/txn?consistent", body, repeatable);
  }

  private CompletableFuture<Done> txn(Request request, Deadline deadline) {
    AtomicReference<String> sent = new AtomicReference<>("[]");
    Attempts attempts = new Attempts(request.whoseBodyIsTold(sent::set), deadline);
    return attempts
        .run()
        .thenApply(
            answer -> {
              JsonObject json = JsonParser.parseString(answer.body()).getAsJsonObject();
              Done done = Done.of(requireNonNull(sent.get()), json, attempts.number > 1);
              done.denial()
                  .ifPresent(
                      denial -> {
                        throw new StoreException(request.lock(), refusal(request, denial));
                      });
              return done;
            });
  }

  /** The answer: its status is 200, or 404 or 409, which mean something to the caller. */
  CompletableFuture<Answer> send(Request request, Deadline deadline) {
    return new Attempts(request, deadline).run();
  }

  /** What others are waiting for, too, but no longer than until this deadline. */
  <T> CompletableFuture<T> within(CompletableFuture<T> shared, String what, Deadline deadline) {
    CompletableFuture<T> result = shared.copy();
    if (result.isDone()) {
      return result;
    }
    Registration end =
        ticker.schedule(
            left(deadline),
            () ->
                result.completeExceptionally(silence(Request.put(what, "", ""), "time-out", null)));
    var unused = result.whenComplete((answer, failure) -> end.close());
    return result;
  }

  private static Duration left(Deadline deadline) {
    return Duration.ofNanos(Math.max(0, deadline.remainingNanos()));
  }

  void close() {
    closed = true;
  }

  private final class Attempts {
    private final Request request;
    private final Deadline deadline;
    private final CompletableFuture<Answer> result = new CompletableFuture<>();

    // Mutable state: attempts come one after the other
    private int number;
    private @Nullable NoAnswerException silence;

    Attempts(Request request, Deadline deadline) {
      this.request = request;
      this.deadline = deadline;
    }

    CompletableFuture<Answer> run() {
      (request.repeatable() ? others : joins).run(this::start);
      return result;
    }

    private CompletableFuture<Answer> start() {
      if (closed || deadline.isOver()) {
        result.completeExceptionally(
            new StoreException(
                request.lock(),
                closed
                    ? "The store at " + url + " is closed"
                    : "The "
                        + about(request)
                        + " was not sent to "
                        + url
                        + ": its deadline has passed"));
      } else {
        next();
      }
      return result;
    }

    private void next() {
      try {
        attempt();
      } catch (RuntimeException notSent) { // such as a join that nobody wants any more
        result.completeExceptionally(notSent);
      }
    }

    private void attempt() {
      number++;
      int member = members.current();
      var unused =
          transport
              .send(
                  members.address(member),
                  request.method(),
                  request.path(),
                  request.body().get(),
                  attemptTime())
              .whenComplete(
                  (answer, failure) -> {
                    if (failure != null) {
                      silent(member, Transport.reason(failure), failure);
                    } else {
                      answered(member, answer);
                    }
                  });
    }

    // The others must have their chance; and a connection that hangs must not cost all the time.
    private Duration attemptTime() {
      Duration share = timeout.dividedBy(members.size());
      Duration time = share.compareTo(SHORTEST_ATTEMPT) < 0 ? SHORTEST_ATTEMPT : share;
      Duration left = left(deadline);
      return left.compareTo(time) < 0 ? left : time;
    }

    private void answered(int member, Answer answer) {
      int status = answer.status();
      String text = answer.body().lines().findFirst().orElse("");
      if (status == 200 || status == 404 || status == 409) {
        result.complete(answer);
      } else if ((status >= 500 && !text.contains("Invalid Session TTL")) || status == 429) {
        silent(member, "status " + status + ", " + text, null);
      } else {
        result.completeExceptionally(
            new StoreException(request.lock(), refusal(request, "status " + status + ", " + text)));
      }
    }

    private void silent(int member, String why, @Nullable Throwable cause) {
      members.failed(member, why);
      boolean last = !request.repeatable() || closed || left(deadline).compareTo(REST) <= 0;
      // The last attempt may have had too little time: then the one before it knows more.
      if (silence == null || !last) {
        silence = silence(request, why, cause);
      }
      if (last) {
        result.completeExceptionally(silence);
      } else if (number < members.size()) {
        next();
      } else {
        var unused = ticker.schedule(REST, this::next);
      }
    }
  }

  private String refusal(Request request, String why) {
    return url + " refused the " + about(request) + ": " + why;
  }

  private NoAnswerException silence(Request request, String why, @Nullable Throwable cause) {
    String message =
        "No answer from "
            + url
            + " to the "
            + about(request)
            + ": it may or may not have taken effect ("
            + why
            + ").";
    return new NoAnswerException(request.lock(), message, cause);
  }

  private static String about(Request request) {
    return request.what() + (request.lock().isEmpty() ? "" : " of '" + request.lock() + "'");
  }
}
