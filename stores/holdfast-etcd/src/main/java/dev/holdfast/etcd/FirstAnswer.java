package dev.holdfast.etcd;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Hears the first answer to a request, or why there is none. */
final class FirstAnswer<T> implements StreamObserver<T> {

  private final CompletableFuture<T> future = new CompletableFuture<>();

  CompletableFuture<T> future() {
    return future;
  }

  @Override
  public void onNext(T answer) {
    future.complete(answer);
  }

  @Override
  public void onError(Throwable failure) {
    future.completeExceptionally(failure);
  }

  @Override
  public void onCompleted() {
    future.completeExceptionally(
        Status.UNAVAILABLE.withDescription("closed without an answer").asRuntimeException());
  }
}
