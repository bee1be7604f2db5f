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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Brings the token that etcd gives for a user and password with each request. Any threads. */
final class Login extends CallCredentials {

  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

  private final Members members;
  private final Credentials credentials;
  private final Duration timeout;
  private final AtomicReference<@Nullable Ticket> ticket = new AtomicReference<>();

  /** What a member gives, or will give, for user and password. */
  private record Ticket(int member, CompletableFuture<String> token) {}

  Login(Members members, Credentials credentials, Duration timeout) {
    this.members = members;
    this.credentials = credentials;
    this.timeout = timeout;
  }

  boolean isNeeded() {
    return credentials.user() != null;
  }

  /** For requests that bring the token, if there is one. */
  CallOptions options() {
    return isNeeded() ? CallOptions.DEFAULT.withCallCredentials(this) : CallOptions.DEFAULT;
  }

  /** Whether another token may help: etcd forgets tokens after some minutes, or a restart. */
  boolean mayRenew(Status status) {
    String why = String.valueOf(status.getDescription());
    return isNeeded() && (why.contains("invalid auth token") || why.contains("auth store is old"));
  }

  /** What is used now; to be given back to {@link #renew} if it is of no use. */
  @Nullable Object known() {
    return ticket.get();
  }

  /** Logs in again, unless somebody has done so since this was known. */
  void renew(@Nullable Object known) {
    ticket.compareAndSet((Ticket) known, null);
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    Ticket used = ticket();
    var unused =
        used.token.whenComplete(
            (text, failure) -> {
              if (failure == null) {
                Metadata headers = new Metadata();
                headers.put(TOKEN, text);
                applier.apply(headers);
              } else {
                renew(used);
                applier.fail(refusal(Status.fromThrowable(failure)));
              }
            });
  }

  /** As gRPC lets it through: it takes etcd's own code, an invalid argument, for a bug of ours. */
  private static Status refusal(Status status) {
    return switch (status.getCode()) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> status;
      default -> Status.UNAUTHENTICATED.withDescription(status.getDescription());
    };
  }

  private Ticket ticket() {
    int member = members.current();
    Ticket known = ticket.get();
    // One that a member has not given before it was given up must not hold up the next member.
    if (known != null && (known.token.isDone() || known.member == member)) {
      return known;
    }
    Ticket fresh = new Ticket(member, new CompletableFuture<>());
    if (!ticket.compareAndSet(known, fresh)) {
      return ticket();
    }
    ask(fresh);
    return fresh;
  }

  private void ask(Ticket fresh) {
    FirstAnswer<AuthenticateResponse> answer = new FirstAnswer<>();
    long share = members.shareNanos(timeout);
    ClientCalls.asyncUnaryCall(
        members
            .channel(fresh.member)
            .newCall(
                AuthGrpc.getAuthenticateMethod(),
                CallOptions.DEFAULT.withDeadlineAfter(share, TimeUnit.NANOSECONDS)),
        AuthenticateRequest.newBuilder()
            .setName(String.valueOf(credentials.user()))
            .setPassword(credentials.password() == null ? "" : credentials.password())
            .build(),
        answer);
    var unused =
        answer
            .future()
            .whenComplete(
                (response, failure) -> {
                  if (failure == null) {
                    fresh.token.complete(response.getToken());
                  } else {
                    fresh.token.completeExceptionally(failure);
                  }
                });
  }
}
