package dev.holdfast.etcd;

import dev.holdfast.Registration;
import dev.holdfast.leased.KeptLease.LeaseEndedException;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.Attempts;
import dev.holdfast.spi.support.Attempts.Purpose;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.RequestLimiter;
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
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * etcd's requests. Each is sent until it is answered, refused, or its deadline has passed: if a
 * member does not answer soon, the next one is asked. So any request may be carried out twice, by
 * two members. Thread-safe.
 */
final class Calls {

  // etcd refuses requests of all clients once it lags behind by 5,000.
  private static final int UNDER_WAY = 256;
  private static final String RENEWAL = "renewal";

  final String url;
  final Channels members;
  final Login login;
  final Ticker ticker;
  final Duration timeout;
  final Failures failures;
  private final CallOptions options;
  private final Attempts.Sender sender;

  /**
   * The highest raft term in any answer. A request sent from now on is carried out in this term or
   * in a later one.
   */
  final AtomicLong term = new AtomicLong();

  Calls(String url, Channels members, StoreSettings settings) {
    this.url = url;
    this.members = members;
    this.ticker = settings.ticker();
    this.timeout = settings.operationTimeout();
    this.login = new Login(members, settings.credentials(), timeout);
    this.failures = new Failures(url);
    this.options = login.options();
    this.sender =
        new Attempts.Sender(
            members, new RequestLimiter(UNDER_WAY), ticker, members.shareNanos(timeout), failures);
  }

  /** The deadline of an operation that comes without one and begins now. */
  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * A transaction. Once it was sent again, one that was sent before may still be carried out, even
   * after the answer.
   */
  CompletableFuture<TxnResponse> txn(Purpose purpose, TxnRequest txn) {
    return new Request<>(purpose, KVGrpc.getTxnMethod(), txn, TxnResponse::getHeader).start();
  }

  /** A transaction without which a claim may be lost: it goes ahead of joins and others. */
  CompletableFuture<TxnResponse> renewal(String lock, TxnRequest txn, Deadline deadline) {
    return txn(new Purpose(RENEWAL, lock, deadline, true), txn);
  }

  /** A transaction that only reads this. */
  CompletableFuture<TxnResponse> read(String verb, String lock, RequestOp get, Deadline deadline) {
    TxnRequest txn = TxnRequest.newBuilder().addSuccess(get).build();
    return txn(new Purpose(verb, lock, deadline, false), txn);
  }

  CompletableFuture<LeaseGrantResponse> grant(long seconds, Deadline deadline) {
    LeaseGrantRequest grant = LeaseGrantRequest.newBuilder().setTTL(seconds).build();
    return new Request<>(
            new Purpose("lease", "", deadline, true),
            LeaseGrpc.getLeaseGrantMethod(),
            grant,
            LeaseGrantResponse::getHeader)
        .start();
  }

  /** Ends a lease and deletes the keys on it. */
  CompletableFuture<LeaseRevokeResponse> revoke(long lease, Deadline deadline) {
    return new Request<>(
            new Purpose("end of a lease", "", deadline, false),
            LeaseGrpc.getLeaseRevokeMethod(),
            LeaseRevokeRequest.newBuilder().setID(lease).build(),
            LeaseRevokeResponse::getHeader)
        .start();
  }

  /** How long a lease still lasts, and the keys on it if wanted. */
  CompletableFuture<LeaseTimeToLiveResponse> timeToLive(
      long lease, boolean keys, Deadline deadline) {
    return new Request<>(
            new Purpose("look at a lease", "", deadline, false),
            LeaseGrpc.getLeaseTimeToLiveMethod(),
            LeaseTimeToLiveRequest.newBuilder().setID(lease).setKeys(keys).build(),
            LeaseTimeToLiveResponse::getHeader)
        .start();
  }

  /**
   * Renews a lease. A leader that was replaced and has not noticed answers as before, but in its
   * own term: then the next member is asked.
   */
  CompletableFuture<LeaseKeepAliveResponse> keepAlive(long lease, Deadline deadline) {
    long known = term.get();
    return new Request<>(
            new Purpose(RENEWAL, "", deadline, true),
            LeaseGrpc.getLeaseKeepAliveMethod(),
            LeaseKeepAliveRequest.newBuilder().setID(lease).build(),
            answer -> {
              if (answer.getHeader().getRaftTerm() < known) {
                throw Status.UNAVAILABLE
                    .withDescription("answered by a leader that was replaced")
                    .asRuntimeException();
              }
              return answer.getHeader();
            })
        .start();
  }

  /** What one member reports about itself; no other is asked instead. */
  CompletableFuture<StatusResponse> status(int member, Deadline deadline) {
    long nanos = Math.min(Math.max(1, deadline.remainingNanos()), sender.share());
    return send(
        member, nanos, MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance());
  }

  /**
   * Sends a request once and limits how long to wait. Not by a deadline of gRPC: that is a header
   * with a different value in each request, which displaces the headers that are the same from the
   * connection's table.
   */
  private <Q, A> CompletableFuture<A> send(
      int member, long nanos, MethodDescriptor<Q, A> method, Q body) {
    FirstAnswer<A> answer = new FirstAnswer<>();
    // A connection of the caller's outlives the ticker.
    ClientCall<Q, A> call =
        members
            .channels
            .get(member)
            .newCall(
                method,
                members.ours ? options : options.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS));
    if (method.getType() == MethodDescriptor.MethodType.UNARY) {
      ClientCalls.asyncUnaryCall(call, body, answer);
    } else { // a stream of keep-alives: of one, and it stays open until that is answered
      StreamObserver<Q> requests = ClientCalls.asyncBidiStreamingCall(call, answer);
      requests.onNext(body);
      var unused = answer.whenComplete((result, failure) -> requests.onCompleted());
    }
    Registration timer =
        ticker.schedule(
            Duration.ofNanos(nanos),
            () -> {
              answer.onError(Status.DEADLINE_EXCEEDED.asRuntimeException());
              call.cancel("time-out", null);
            });
    var unused = answer.whenComplete((result, failure) -> timer.close());
    return answer;
  }

  /** Why a request failed, in one line: what etcd, or gRPC, says about it. */
  static String reason(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return "time-out"; // gRPC describes its own internals here
    }
    if (status.getCause() != null) { // "io exception" is all that gRPC says itself
      return Failures.reason(status.getCause());
    }
    String text = status.getDescription();
    return text == null ? status.getCode().toString() : text.lines().findFirst().orElse("");
  }

  /** A request, however many attempts it takes. */
  private final class Request<Q, A> extends Attempts<A> {
    private final MethodDescriptor<Q, A> method;
    private final Q body;
    private final Function<A, ResponseHeader> header; // fails if the answer does not count

    // Mutable state: attempts come one after the other
    private @Nullable Object ticket;
    private boolean loggedIn;

    Request(
        Purpose purpose,
        MethodDescriptor<Q, A> method,
        Q body,
        Function<A, ResponseHeader> header) {
      super(sender, purpose);
      this.method = method;
      this.body = body;
      this.header = header;
    }

    @Override
    protected CompletableFuture<A> send(int member, long nanos) {
      ticket = options == CallOptions.DEFAULT ? null : login.known();
      return Calls.this
          .send(member, nanos, method, body)
          .thenApply(
              answer -> {
                term.accumulateAndGet(header.apply(answer).getRaftTerm(), Math::max);
                return answer;
              });
    }

    @Override
    protected String reason(Throwable failure) {
      return Calls.reason(failure);
    }

    @Override
    protected boolean isSilence(Throwable failure) {
      return Status.fromThrowable(failure).getCode() == Status.Code.DEADLINE_EXCEEDED;
    }

    @Override
    protected void failed(int member, boolean shortened, Throwable failure) {
      Status status = Status.fromThrowable(failure);
      switch (status.getCode()) {
        // A member that had little time is not to blame for its silence.
        case DEADLINE_EXCEEDED -> silent(member, !shortened, failure);
        case UNAVAILABLE, CANCELLED, UNKNOWN, INTERNAL, ABORTED -> silent(member, true, failure);
        case NOT_FOUND -> fail(new LeaseEndedException());
        case RESOURCE_EXHAUSTED -> {
          if (reason(failure).contains("too many requests")) {
            again(false, failure); // of all its clients: it has not even begun
          } else {
            refused(failure);
          }
        }
        case UNAUTHENTICATED, INVALID_ARGUMENT -> {
          if (!loggedIn && login.mayRenew(status)) {
            loggedIn = true;
            login.renew(ticket);
            again(true, failure);
          } else {
            refused(failure);
          }
        }
        default -> refused(failure);
      }
    }
  }

  /** The first answer to a request, or the failure. Thread-safe. */
  static final class FirstAnswer<A> extends CompletableFuture<A> implements StreamObserver<A> {

    @Override
    public void onNext(A answer) {
      complete(answer);
    }

    @Override
    public void onError(Throwable failure) {
      completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      completeExceptionally(
          Status.UNAVAILABLE.withDescription("closed without an answer").asRuntimeException());
    }
  }
}
