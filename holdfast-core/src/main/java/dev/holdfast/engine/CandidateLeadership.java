package dev.holdfast.engine;

import dev.holdfast.StoreException;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;

/**
 * The leadership of a {@link Candidate}: whoever ends it, the listener is told first, and the
 * candidate stands again.
 */
final class CandidateLeadership extends EngineLeadership {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Candidate candidate;
  private final CompletableFuture<Boolean> left = new CompletableFuture<>();

  // Mutable state
  private volatile boolean ended;

  /** On the same entry as the lease. */
  CandidateLeadership(EngineLease lease, Candidate candidate) {
    super(lease);
    this.candidate = candidate;
  }

  /** The listener is about to hear of its end. */
  void ending() {
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }

  /** The listener has heard of its end: gives it back, and waits for that. */
  void leave(Engine engine) {
    var unused =
        super.end()
            .whenComplete(
                (ours, failure) -> {
                  if (failure != null) {
                    left.completeExceptionally(failure);
                  } else {
                    left.complete(ours);
                  }
                });
    // Whoever stands again then comes behind those who wait.
    Waits.quietly(left, engine.operationTimeout());
  }

  @Override
  CompletableFuture<Boolean> end() {
    if (isClosed()) {
      return CompletableFuture.completedFuture(false);
    }
    // The listener itself cannot wait for what comes after it.
    return candidate.resign(this) ? CompletableFuture.completedFuture(isValid()) : left;
  }

  @Override
  public void close() {
    try {
      var unused = release();
    } catch (StoreException e) {
      LOG.log(Level.WARNING, e.getMessage());
    }
  }
}
