package dev.holdfast.engine;

import dev.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A request that ends in a future, completed on the client's executor, never recursively. */
final class AsyncRequest extends Request {

  final CompletableFuture<@Nullable Lease> future = new CompletableFuture<>();
  private final Executor executor;

  // Mutable state
  private volatile boolean decided;

  AsyncRequest(String name, LockSpec spec, @Nullable Duration wait, Executor executor) {
    super(name, spec, wait);
    this.executor = executor;
  }

  /** A future that the caller cancels, or completes in any other way, leaves the queue. */
  void leavesWhenCompleted(LocalQueue queue) {
    var unused =
        future.whenComplete(
            (lease, failure) -> {
              stopTimer();
              if (!decided) {
                queue.giveUp(this);
              }
            });
  }

  @Override
  @Nullable Thread reentrantThread() {
    return null;
  }

  @Override
  boolean comesBack() {
    return false;
  }

  @Override
  void signal() {
    throw new IllegalStateException("an asynchronous request is given the lock, not signalled");
  }

  @Override
  void decideGranted(Hold hold) {
    decided = true;
    EngineLease lease = new EngineLease(hold, spec);
    executor.execute(
        () -> {
          // Completed by the caller in the same moment: nobody will ever see this lease.
          if (!future.complete(lease)) {
            var unusedEnd = lease.giveBack();
          }
        });
  }

  @Override
  void decideBusy() {
    decided = true;
    executor.execute(() -> future.complete(null));
  }

  @Override
  void decideFailed(RuntimeException cause) {
    decided = true;
    executor.execute(() -> future.completeExceptionally(cause));
  }
}
