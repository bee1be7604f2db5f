package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A request that ends in a future, completed on the client's executor, never recursively. */
final class AsyncRequest extends Request {

  final CompletableFuture<@Nullable Lease> future = new CompletableFuture<>();
  private final Executor executor;

  AsyncRequest(LockSpec spec, @Nullable Duration wait, Ticker ticker, Executor executor) {
    super(spec, wait, ticker);
    this.executor = executor;
  }

  /** Cancelling the future leaves the queue. */
  void leavesWhenCancelled(LocalQueue queue) {
    var unused =
        future.whenComplete(
            (lease, failure) -> {
              timer.close();
              if (future.isCancelled()) {
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
  void granted(Hold hold) {
    Lease lease = new EngineLease(hold);
    executor.execute(
        () -> {
          // Cancelled in the same moment: nobody will ever see this lease.
          if (!future.complete(lease)) {
            lease.releaseAsync();
          }
        });
  }

  @Override
  void busy() {
    executor.execute(() -> future.complete(null));
  }

  @Override
  void failed(RuntimeException cause) {
    executor.execute(() -> future.completeExceptionally(cause));
  }
}
