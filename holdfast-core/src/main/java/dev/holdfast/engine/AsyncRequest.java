package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.Registration;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request that ends in a future, completed on the caller's threads, never recursively. */
final class AsyncRequest extends Request {

  final CompletableFuture<@Nullable Lease> future = new CompletableFuture<>();
  private final Engine engine;

  AsyncRequest(Engine engine, String name, LockSpec spec, long waitNanos) {
    super(name, spec, waitNanos, null);
    this.engine = engine;
  }

  /** A future that the caller cancels, or completes in any other way, leaves the queue. */
  void leaves(LockShell shell) {
    Registration limit = outcome == null ? shell.limit(this) : Registration.NONE;
    var unused =
        future.whenComplete(
            (lease, failure) -> {
              limit.close();
              if (outcome == null) {
                shell.gaveUp(this, "cancelled");
              }
            });
  }

  /** Its outcome is there: completes the future. */
  void decided(LockShell shell) {
    Object result = outcome;
    if (result instanceof Hold hold) {
      EngineLease lease = engine.lease(shell, hold, spec);
      engine.context.futures.execute(
          () -> {
            // Completed by the caller in the same moment: nobody will ever see this lease.
            if (!future.complete(lease)) {
              var unusedEnd = lease.giveBack();
            }
          });
    } else if (result instanceof RuntimeException failure) {
      engine.context.futures.execute(() -> future.completeExceptionally(failure));
    } else {
      engine.context.futures.execute(() -> future.complete(null));
    }
  }
}
