package dev.holdfast.engine;

import java.util.concurrent.CompletableFuture;

/**
 * The leadership of a {@link Candidate}: whoever closes it asks for its end. The listener is told
 * first, so nobody waits for it here: the listener may wait for whoever asks.
 */
final class CandidateLeadership extends EngineLeadership {

  private final Candidate candidate;
  private final CompletableFuture<Boolean> left = new CompletableFuture<>();

  // Mutable state
  private volatile boolean ended;

  /** In the place of the lease. */
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

  /** The listener has heard of its end, or will never hear of it. */
  CompletableFuture<Boolean> leave() {
    var unused =
        end()
            .whenComplete(
                (ours, failure) -> {
                  if (failure != null) {
                    left.completeExceptionally(failure);
                  } else {
                    left.complete(ours);
                  }
                });
    return left;
  }

  @Override
  public boolean release() {
    boolean ours = isValid();
    candidate.resign(this);
    return ours;
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync() {
    boolean before = isClosed();
    candidate.resign(this);
    return before ? CompletableFuture.completedFuture(false) : calledBack(left);
  }

  @Override
  public void close() {
    candidate.resign(this);
  }
}
