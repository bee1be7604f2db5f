package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request that ends in a future, completed on the caller's threads, never recursively. */
final class AsyncRequest extends Request {

  final CompletableFuture<@Nullable Lease> future = new CompletableFuture<>();
  private final Executor executor;
  private final Function<Hold, EngineLease> leases;

  // Mutable state
  private volatile boolean decided;

  AsyncRequest(
      String name,
      LockSpec spec,
      long waitNanos,
      Executor executor,
      Function<Hold, EngineLease> leases) {
    super(name, spec, waitNanos, null, Thread.currentThread().getName());
    this.executor = executor;
    this.leases = leases;
  }

  /** A future that the caller cancels, or completes in any other way, leaves the queue. */
  void leavesWhenCompleted(LockShell shell) {
    var unused =
        future.whenComplete(
            (lease, failure) -> {
              if (!decided) {
                shell.gaveUp(this, "cancelled");
              }
            });
  }

  @Override
  public void decided(Object outcome) {
    decided = true;
    if (outcome instanceof Hold hold) {
      EngineLease lease = leases.apply(hold);
      executor.execute(
          () -> {
            // Completed by the caller in the same moment: nobody will ever see this lease.
            if (!future.complete(lease)) {
              var unusedEnd = lease.giveBack();
            }
          });
    } else if (outcome instanceof RuntimeException failure) {
      executor.execute(() -> future.completeExceptionally(failure));
    } else {
      executor.execute(() -> future.complete(null));
    }
  }
}
