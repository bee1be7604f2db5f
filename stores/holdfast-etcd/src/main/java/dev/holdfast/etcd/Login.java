package dev.holdfast.etcd;

import dev.holdfast.spi.Credentials;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Adds to each request the token that etcd issues for a user and password. Thread-safe. */
final class Login extends CallCredentials {

  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

  private final Channels members;
  private final Credentials credentials;
  private final long share;
  private final AtomicReference<@Nullable Ticket> ticket = new AtomicReference<>();

  /** The token that a member has issued, or will issue. */
  private record Ticket(int member, Calls.FirstAnswer<AuthenticateResponse> answer) {}

  Login(Channels members, Credentials credentials, Duration timeout) {
    this.members = members;
    this.credentials = credentials;
    this.share = members.shareNanos(timeout);
  }

  /**
   * @return true if there are credentials
   */
  boolean isNeeded() {
    return credentials.user() != null;
  }

  /** Options for requests, with the token if one is needed. */
  CallOptions options() {
    return isNeeded() ? CallOptions.DEFAULT.withCallCredentials(this) : CallOptions.DEFAULT;
  }

  /**
   * @return true if another token may help: etcd forgets tokens after some minutes, or a restart
   */
  boolean mayRenew(Status status) {
    String why = String.valueOf(status.getDescription());
    return isNeeded() && (why.contains("invalid auth token") || why.contains("auth store is old"));
  }

  /** The token in use, for {@link #renew} if it is refused. */
  @Nullable Object known() {
    return ticket.get();
  }

  /** Logs in again, unless that has happened since this token was known. */
  void renew(@Nullable Object known) {
    ticket.compareAndSet((Ticket) known, null);
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    Ticket used = ticket();
    var unused =
        used.answer.whenComplete(
            (response, failure) -> {
              if (failure == null) {
                Metadata headers = new Metadata();
                headers.put(TOKEN, response.getToken());
                applier.apply(headers);
              } else {
                renew(used);
                applier.fail(refusal(Status.fromThrowable(failure)));
              }
            });
  }

  /** As gRPC accepts it: it takes etcd's own code, an invalid argument, for a bug of ours. */
  private static Status refusal(Status status) {
    return switch (status.getCode()) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> status;
      default -> Status.UNAUTHENTICATED.withDescription(status.getDescription());
    };
  }

  private Ticket ticket() {
    int member = members.current();
    Ticket known = ticket.get();
    // A silent member's pending token must not delay requests to the next member.
    if (known != null && (known.answer.isDone() || known.member == member)) {
      return known;
    }
    Ticket fresh = new Ticket(member, new Calls.FirstAnswer<>());
    if (!ticket.compareAndSet(known, fresh)) {
      return ticket();
    }
    ClientCalls.asyncUnaryCall(
        members
            .channels
            .get(member)
            .newCall(
                AuthGrpc.getAuthenticateMethod(),
                CallOptions.DEFAULT.withDeadlineAfter(share, TimeUnit.NANOSECONDS)),
        AuthenticateRequest.newBuilder()
            .setName(String.valueOf(credentials.user()))
            .setPassword(credentials.password() == null ? "" : credentials.password())
            .build(),
        fresh.answer);
    return fresh;
  }
}
