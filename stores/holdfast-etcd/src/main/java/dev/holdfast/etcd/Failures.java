package dev.holdfast.etcd;

import dev.holdfast.spi.Deadline;
import io.grpc.Status;
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

  /**
   * Takes another way if a step that others share ended by the deadline of one of them: it must not
   * end anybody else's operation early.
   */
  static <T> CompletableFuture<T> orIfSilent(
      CompletableFuture<T> shared, Deadline deadline, Supplier<CompletableFuture<T>> otherWay) {
    return shared.exceptionallyCompose(
        failure ->
            cause(failure) instanceof NoAnswerException && !deadline.isOver()
                ? otherWay.get()
                : CompletableFuture.failedFuture(failure));
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException wrapped && wrapped.getCause() != null
        ? wrapped.getCause()
        : failure;
  }

  /** Why there was no answer, or no good one, in one line. */
  static String reason(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return "time-out"; // gRPC tells much about its own workings here
    }
    // "io exception" is all that gRPC says itself about a connection; the cause says which.
    Throwable root = status.getCause();
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    String text = root == null ? status.getDescription() : root.getMessage();
    return text == null ? status.getCode().toString() : text.lines().findFirst().orElse("");
  }
}
