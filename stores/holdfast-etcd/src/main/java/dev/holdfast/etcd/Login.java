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
  private final AtomicReference<@Nullable CompletableFuture<String>> token =
      new AtomicReference<>();

  Login(Members members, Credentials credentials, Duration timeout) {
    this.members = members;
    this.credentials = credentials;
    this.timeout = timeout;
  }

  /** Whether another token may help: etcd forgets tokens after some minutes, or a restart. */
  boolean mayRenew(Status status) {
    String description = String.valueOf(status.getDescription());
    return credentials.user() != null && description.contains("invalid auth token");
  }

  void renew() {
    token.set(null);
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    if (credentials.user() == null) {
      applier.apply(new Metadata());
      return;
    }
    var unused =
        token()
            .whenComplete(
                (text, failure) -> {
                  if (failure == null) {
                    Metadata headers = new Metadata();
                    headers.put(TOKEN, text);
                    applier.apply(headers);
                  } else {
                    renew();
                    applier.fail(Status.fromThrowable(failure));
                  }
                });
  }

  private CompletableFuture<String> token() {
    CompletableFuture<String> known = token.get();
    if (known != null) {
      return known;
    }
    CompletableFuture<String> fresh = new CompletableFuture<>();
    if (!token.compareAndSet(null, fresh)) {
      return token();
    }
    FirstAnswer<AuthenticateResponse> answer = new FirstAnswer<>();
    ClientCalls.asyncUnaryCall(
        members
            .channel(members.current())
            .newCall(
                AuthGrpc.getAuthenticateMethod(),
                CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)),
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
                    fresh.complete(response.getToken());
                  } else {
                    fresh.completeExceptionally(failure);
                  }
                });
    return fresh;
  }
}
