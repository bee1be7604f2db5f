package dev.holdfast.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** What to do about a step that did not work. */
final class Failures {

  private Failures() {}

  /** Takes another way, while there is time, if a lease had ended and so nothing was put. */
  static <T> CompletableFuture<T> orIfLeaseGone(
      CompletableFuture<T> step, Deadline deadline, Supplier<CompletableFuture<T>> otherWay) {
    return step.exceptionallyCompose(
        failure ->
            cause(failure) instanceof LeaseGoneException && !deadline.isOver()
                ? otherWay.get()
                : CompletableFuture.failedFuture(failure));
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : failure;
  }
}
