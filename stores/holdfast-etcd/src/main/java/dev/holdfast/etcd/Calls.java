package dev.holdfast.etcd;

import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests to etcd, each within a deadline. All of them may be carried out twice: a member that
 * does not answer is not waited for to the end, the next one is asked.
 */
final class Calls {

  private static final Duration REST = Duration.ofMillis(50);
  private static final int UNDER_WAY = 256;
  private static final String RENEWAL = "renewal";
  private static final BooleanSupplier ALWAYS = () -> true;

  private final String url;
  private final Members members;
  private final Login login;
  private final Ticker ticker;
  private final Duration timeout;
  private final Turnstile turnstile = new Turnstile(UNDER_WAY);
  private final AtomicLong term = new AtomicLong();

  Calls(String url, Members members, Login login, Ticker ticker, Duration timeout) {
    this.url = url;
    this.members = members;
    this.login = login;
    this.ticker = ticker;
    this.timeout = timeout;
  }

  Duration timeout() {
    return timeout;
  }

  /**
   * The highest term of a leader that any answer has told of. What is sent from now on is carried
   * out in this term or in a later one.
   */
  long term() {
    return term.get();
  }

  /** For an operation that nobody has set a deadline for, beginning now. */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  CompletableFuture<TxnResponse> txn(
      String what, String lock, TxnRequest request, Deadline deadline) {
    return txn(what, lock, request, deadline, ALWAYS);
  }

  /**
   * The same.
   *
   * @param mayRepeat asked before it is sent again though it may have taken effect; from then on,
   *     one that was sent before may still be carried out, even after the answer
   */
  CompletableFuture<TxnResponse> txn(
      String what, String lock, TxnRequest request, Deadline deadline, BooleanSupplier mayRepeat) {
    return txn(new Errand(what, lock, deadline, false, mayRepeat), request);
  }

  /** A transaction without which somebody may lose what it holds: before joins and others. */
  CompletableFuture<TxnResponse> renewal(String lock, TxnRequest request, Deadline deadline) {
    return txn(new Errand(RENEWAL, lock, deadline, true, ALWAYS), request);
  }

  private CompletableFuture<TxnResponse> txn(Errand errand, TxnRequest request) {
    return send(
        errand,
        TxnResponse::getHeader,
        (channel, nanos) -> unary(channel, KVGrpc.getTxnMethod(), request, nanos));
  }

  CompletableFuture<RangeResponse> range(
      String what, String lock, RangeRequest request, Deadline deadline) {
    return send(
        new Errand(what, lock, deadline, false, ALWAYS),
        RangeResponse::getHeader,
        (channel, nanos) -> unary(channel, KVGrpc.getRangeMethod(), request, nanos));
  }

  /** A new lease. */
  CompletableFuture<LeaseGrantResponse> grant(long seconds, Deadline deadline) {
    LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(seconds).build();
    return send(
        new Errand("lease", "", deadline, true, ALWAYS),
        LeaseGrantResponse::getHeader,
        (channel, nanos) -> unary(channel, LeaseGrpc.getLeaseGrantMethod(), request, nanos));
  }

  /** Ends a lease, and deletes the keys on it. */
  CompletableFuture<LeaseRevokeResponse> revoke(long lease, Deadline deadline) {
    LeaseRevokeRequest request = LeaseRevokeRequest.newBuilder().setID(lease).build();
    return send(
        new Errand("end of a lease", "", deadline, false, ALWAYS),
        LeaseRevokeResponse::getHeader,
        (channel, nanos) -> unary(channel, LeaseGrpc.getLeaseRevokeMethod(), request, nanos));
  }

  /**
   * Renews a lease. A leader that was replaced and has not noticed answers as if it still led, but
   * in the term in which it did: then the next member is asked.
   */
  CompletableFuture<LeaseKeepAliveResponse> keepAlive(long lease, Deadline deadline) {
    LeaseKeepAliveRequest request = LeaseKeepAliveRequest.newBuilder().setID(lease).build();
    long known = term.get();
    return send(
        new Errand(RENEWAL, "", deadline, true, ALWAYS),
        LeaseKeepAliveResponse::getHeader,
        (channel, nanos) -> {
          var call = channel.newCall(LeaseGrpc.getLeaseKeepAliveMethod(), login.options());
          FirstAnswer<LeaseKeepAliveResponse> answer = new FirstAnswer<>();
          var stream = ClientCalls.asyncBidiStreamingCall(call, answer);
          stream.onNext(request);
          var unused = answer.future().whenComplete((result, failure) -> stream.onCompleted());
          return within(nanos, call, answer)
              .thenApply(
                  renewed -> {
                    if (renewed.getHeader().getRaftTerm() < known) {
                      throw Status.UNAVAILABLE
                          .withDescription("answered by a leader that was replaced")
                          .asRuntimeException();
                    }
                    return renewed;
                  });
        });
  }

  CompletableFuture<LeaseTimeToLiveResponse> timeToLive(
      long lease, boolean keys, Deadline deadline) {
    LeaseTimeToLiveRequest request =
        LeaseTimeToLiveRequest.newBuilder().setID(lease).setKeys(keys).build();
    return send(
        new Errand("look at a lease", "", deadline, false, ALWAYS),
        LeaseTimeToLiveResponse::getHeader,
        (channel, nanos) -> unary(channel, LeaseGrpc.getLeaseTimeToLiveMethod(), request, nanos));
  }

  /** What this member says about itself; no other is asked instead. */
  CompletableFuture<StatusResponse> status(int member, Deadline deadline) {
    long nanos = Math.min(Math.max(1, deadline.remainingNanos()), members.shareNanos(timeout));
    return unary(
        members.channel(member),
        MaintenanceGrpc.getStatusMethod(),
        StatusRequest.getDefaultInstance(),
        nanos);
  }

  /** What others are waiting for, too, but no longer than until this deadline. */
  <T> CompletableFuture<T> within(CompletableFuture<T> shared, String what, Deadline deadline) {
    if (shared.isDone()) {
      return shared;
    }
    CompletableFuture<T> result = shared.copy();
    Registration timer =
        ticker.schedule(
            Duration.ofNanos(Math.max(0, deadline.remainingNanos())),
            () ->
                result.completeExceptionally(
                    new NoAnswerException("", url, what, "time-out", new TimeoutException())));
    var unused = result.whenComplete((answer, failure) -> timer.close());
    return result;
  }

  private <T> CompletableFuture<T> send(
      Errand errand,
      Function<T, ResponseHeader> header,
      BiFunction<Channel, Long, CompletableFuture<T>> request) {
    Attempts<T> attempts = new Attempts<>(errand, header, request);
    attempts.enter();
    return attempts.result;
  }

  /**
   * What is to be done, however many attempts it takes.
   *
   * @param what for messages
   * @param lock empty: of none, or of many
   * @param urgent whether it goes before what is not
   * @param mayRepeat asked before it is sent again though it may have taken effect
   */
  private record Errand(
      String what, String lock, Deadline deadline, boolean urgent, BooleanSupplier mayRepeat) {

    /** For messages. */
    String text() {
      return lock.isEmpty() ? what : what + " of '" + lock + "'";
    }
  }

  private final class Attempts<T> {
    private final Errand errand;
    private final Function<T, ResponseHeader> header;
    private final BiFunction<Channel, Long, CompletableFuture<T>> request;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    // Mutable state: attempts come one after the other
    private int number;
    private boolean mayHaveTakenEffect;
    private boolean loggedIn;
    private @Nullable Throwable said;

    Attempts(
        Errand errand,
        Function<T, ResponseHeader> header,
        BiFunction<Channel, Long, CompletableFuture<T>> request) {
      this.errand = errand;
      this.header = header;
      this.request = request;
    }

    void enter() {
      turnstile.enter(errand.urgent, this::next);
    }

    private void next() {
      number++;
      long left = errand.deadline.remainingNanos();
      if (left <= 0) { // while it waited for its turn
        giveUp(said == null ? "time-out" : Failures.reason(said));
      } else if (mayHaveTakenEffect && !errand.mayRepeat.getAsBoolean()) {
        giveUp("it is not wanted any more");
      } else {
        attempt(left);
      }
    }

    private void giveUp(String why) {
      silent(why, said == null ? new TimeoutException(why) : said);
      turnstile.leave();
    }

    private void attempt(long left) {
      int member = members.current();
      long share = members.shareNanos(timeout);
      boolean cutShort = left < share;
      Object ticket = login.known();
      var unused =
          sent(member, Math.min(left, share))
              .whenComplete(
                  (answer, failure) -> {
                    // First: who leaves may have to let in many others.
                    if (failure == null) {
                      members.answered(member);
                      term.accumulateAndGet(header.apply(answer).getRaftTerm(), Math::max);
                      result.complete(answer);
                    } else {
                      failed(member, cutShort, ticket, failure);
                    }
                    turnstile.leave();
                  });
    }

    /** A channel that throws, as a caller's own may, has not answered. */
    private CompletableFuture<T> sent(int member, long nanos) {
      try {
        return request.apply(members.channel(member), nanos);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private void failed(int member, boolean cutShort, @Nullable Object ticket, Throwable failure) {
      Status status = Status.fromThrowable(failure);
      switch (status.getCode()) {
        case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL, ABORTED -> {
          mayHaveTakenEffect = true;
          // One that had little time is not to blame for having taken longer.
          if (status.getCode() != Status.Code.DEADLINE_EXCEEDED || !cutShort) {
            members.failed(member, Failures.reason(failure));
          }
          again(number < members.size(), failure);
        }
        case RESOURCE_EXHAUSTED -> {
          if (Failures.reason(failure).contains("too many requests")) {
            again(false, failure); // of all its clients: it has not even begun
          } else {
            refuse(failure);
          }
        }
        case NOT_FOUND -> result.completeExceptionally(new LeaseGoneException());
        case UNAUTHENTICATED, INVALID_ARGUMENT -> {
          if (!loggedIn && login.mayRenew(status)) {
            loggedIn = true;
            login.renew(ticket);
            again(true, failure);
          } else {
            refuse(failure);
          }
        }
        default -> refuse(failure);
      }
    }

    private void again(boolean now, Throwable failure) {
      // What was said once tells more than the silence in which the last attempt ends.
      boolean silent = Status.fromThrowable(failure).getCode() == Status.Code.DEADLINE_EXCEEDED;
      Throwable why = silent && said != null ? said : failure;
      said = why;
      long left = errand.deadline.remainingNanos();
      if (members.isClosed()) {
        fail(NoAnswerException.message(url, errand.text(), Failures.reason(why)), why);
      } else if (left <= 0) {
        silent(Failures.reason(why), why);
      } else if (now) {
        enter();
      } else {
        members.reconnectIn(REST, ticker);
        Duration rest = Duration.ofNanos(Math.min(left, REST.toNanos()));
        var unused = ticker.schedule(rest, this::enter);
      }
    }

    /** Only once the deadline has passed. */
    private void silent(String why, Throwable cause) {
      result.completeExceptionally(
          new NoAnswerException(errand.lock, url, errand.text(), why, cause));
    }

    private void refuse(Throwable failure) {
      fail(url + " refused the " + errand.text() + ": " + Failures.reason(failure), failure);
    }

    private void fail(String message, Throwable failure) {
      result.completeExceptionally(new StoreException(errand.lock, message, failure));
    }
  }

  private <Q, T> CompletableFuture<T> unary(
      Channel channel, MethodDescriptor<Q, T> method, Q request, long nanos) {
    ClientCall<Q, T> call = channel.newCall(method, options(nanos));
    FirstAnswer<T> answer = new FirstAnswer<>();
    ClientCalls.asyncUnaryCall(call, request, answer);
    return within(nanos, call, answer);
  }

  /** A connection of the caller's outlives the ticker. */
  private CallOptions options(long nanos) {
    CallOptions options = login.options();
    return members.areOurs() ? options : options.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Limits how long to wait. Not by a deadline of gRPC: that is a header which is another in each
   * request, and crowds out of the connection's memory all those that are the same.
   */
  private <T> CompletableFuture<T> within(
      long nanos, ClientCall<?, T> call, FirstAnswer<T> answer) {
    Registration timer =
        ticker.schedule(
            Duration.ofNanos(nanos),
            () -> {
              answer.onError(Status.DEADLINE_EXCEEDED.asRuntimeException());
              call.cancel("time-out", null);
            });
    var unused = answer.future().whenComplete((result, failure) -> timer.close());
    return answer.future();
  }
}
