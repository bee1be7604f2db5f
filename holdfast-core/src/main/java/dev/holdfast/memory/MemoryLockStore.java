package dev.holdfast.memory;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.LockInfo;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Observers;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.BaseLockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One client's access to a {@link MemorySpace}. Every answer is there when the call returns.
 *
 * <p>Excludes the clients that share the space, hence at most this JVM. Forgets everything with it;
 * tokens still rise over a restart as long as the wall clock does.
 */
public final class MemoryLockStore extends BaseLockStore {

  static final Traits TRAITS =
      Traits.builder()
          .fair()
          .pushes()
          .tellsHolders()
          .ttl(Duration.ofMillis(1), Duration.ofDays(3650))
          .allKinds()
          .lingers()
          .detachable()
          .floors(Tokens.MAX_FLOOR)
          .consistency(Consistency.LINEARIZABLE)
          .build();

  private final MemorySpace space;
  private final Ticker ticker;

  /** On its own space, for tests. */
  public MemoryLockStore(Ticker ticker) {
    this(new MemorySpace(), ticker);
  }

  /** On a space that other clients share. */
  public MemoryLockStore(MemorySpace space, Ticker ticker) {
    this("memory:", space, ticker);
  }

  MemoryLockStore(String url, MemorySpace space, Ticker ticker) {
    super(url, TRAITS, new Observers());
    this.space = space;
    this.ticker = ticker;
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return CompletableFuture.completedFuture(space.join(claim, wait, this));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    Map<Claim, Standing> answers = new HashMap<>();
    for (Claim claim : claims) {
      answers.put(claim, space.refresh(claim, this));
    }
    return CompletableFuture.completedFuture(answers);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    if (departures.size() == 1) {
      Departure departure = departures.iterator().next();
      return CompletableFuture.completedFuture(
          Map.of(departure.claim(), space.leave(departure, this)));
    }
    Map<Claim, Left> answers = new HashMap<>();
    for (Departure departure : departures) {
      answers.put(departure.claim(), space.leave(departure, this));
    }
    return CompletableFuture.completedFuture(answers);
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return CompletableFuture.completedFuture(space.evict(lock, token, this));
  }

  /** No other version writes here: everything can be read. */
  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return CompletableFuture.completedFuture(false);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return CompletableFuture.completedFuture(space.inspect(lock, this));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return CompletableFuture.completedFuture(space.list(prefix, limit, this));
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    Instant time = Instant.EPOCH.plus(ticker.wallMicros(), ChronoUnit.MICROS);
    return CompletableFuture.completedFuture(new Diagnosis(time, List.of()));
  }

  /** The space may be used by other clients. */
  @Override
  protected void shutDown() {}

  Ticker ticker() {
    return ticker;
  }

  void wake(String lock) {
    observers().wake(lock);
  }
}
