package dev.holdfast.jdbc;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes claims, asks a store and waits for the answer. */
final class Ask {

  private static final Owner OWNER = new Owner("host", 1, "main", "client", "test");
  private static final Duration TTL = Duration.ofSeconds(30);

  private Ask() {}

  static Claim mutex(String lock) {
    return claim(lock, Kind.MUTEX, 1, 1, TTL);
  }

  static Claim claim(String lock, Kind kind, int weight, int capacity, Duration ttl) {
    String id = UUID.randomUUID().toString();
    return new Claim(id, lock, kind, weight, capacity, OWNER, ttl, null, 0, 0);
  }

  static JoinAnswer join(LockStore store, Claim claim) {
    return of(store.join(claim, false, Deadlines.far()));
  }

  static JoinAnswer queue(LockStore store, Claim claim) {
    return of(store.join(claim, true, Deadlines.far()));
  }

  static Standing refresh(LockStore store, Claim claim) {
    return of(store.refresh(List.of(claim), Deadlines.far())).get(claim);
  }

  static Left leave(LockStore store, Claim claim) {
    return leave(store, Departure.of(claim));
  }

  static Left leave(LockStore store, Departure departure) {
    return of(store.leave(List.of(departure), Deadlines.far())).get(departure.claim());
  }

  /** The answer; throws what the stage failed with. */
  static <T> T of(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no answer", e);
    }
  }
}
