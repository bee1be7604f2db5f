package dev.holdfast.engine;

import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A request for one of several locks, of no use once another one of them is lost. */
final class PartRequest extends Request {

  // Mutable state
  private volatile @Nullable RuntimeException abandoned;

  PartRequest(String name, LockSpec spec, long waitNanos) {
    super(name, spec, waitNanos);
  }

  /** What it is wanted for has failed meanwhile: it does not wait any longer. */
  void abandon(RuntimeException cause) {
    abandoned = Objects.requireNonNull(cause);
    LockSupport.unpark(thread);
  }

  @Nullable RuntimeException abandoned() {
    return abandoned;
  }
}
