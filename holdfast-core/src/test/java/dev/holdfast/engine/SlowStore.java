package dev.holdfast.engine;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that is healthy but far away: it does all it is asked, and each answer takes as long. */
final class SlowStore extends ForwardingStore {

  private final Ticker ticker;
  private final Duration latency;

  SlowStore(LockStore inner, Ticker ticker, Duration latency) {
    super(inner);
    this.ticker = ticker;
    this.latency = latency;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return later(super.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return later(super.refresh(claims, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return later(super.leave(departures, deadline));
  }

  private <T> CompletionStage<T> later(CompletionStage<T> done) {
    CompletableFuture<Void> answered = new CompletableFuture<>();
    ticker.schedule(latency, () -> answered.complete(null));
    return answered.thenCompose(now -> done);
  }
}
