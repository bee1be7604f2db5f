package dev.holdfast.testkit.store;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes claims, sends requests to a store, and waits for the answers. Thread-safe. */
public final class Ask {

  private static final Owner OWNER = new Owner("host", 1, "thread", "client", "label");
  private static final Duration TTL = Duration.ofSeconds(60);

  private Ask() {}

  /**
   * @return a lock name that no other test uses
   */
  public static String name() {
    return "it/" + UUID.randomUUID();
  }

  /**
   * @return a new claim to a mutex, for 60 s
   */
  public static Claim mutex(String lock) {
    return mutex(lock, TTL);
  }

  /**
   * @return a new claim to a mutex
   */
  public static Claim mutex(String lock, Duration ttl) {
    return claim(lock, Kind.MUTEX, 1, 1, ttl);
  }

  /**
   * @return a new claim of a writer
   */
  public static Claim writer(String lock, Duration ttl) {
    return claim(lock, Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED, ttl);
  }

  /**
   * @return a new claim
   */
  public static Claim claim(String lock, Kind kind, int weight, int capacity, Duration ttl) {
    String id = UUID.randomUUID().toString();
    return new Claim(id, lock, kind, weight, capacity, OWNER, ttl, null, 0, 0);
  }

  /**
   * @return the same claim, with another ttl
   */
  public static Claim lasting(Claim claim, Duration ttl) {
    return new Claim(
        claim.id(),
        claim.lock(),
        claim.kind(),
        claim.weight(),
        claim.capacity(),
        claim.owner(),
        ttl,
        claim.value(),
        claim.spares(),
        claim.floor());
  }

  /** Joins without waiting. */
  public static JoinAnswer join(LockStore store, Claim claim) {
    return join(store, claim, Deadlines.far());
  }

  /** Joins without waiting. */
  public static JoinAnswer join(LockStore store, Claim claim, Deadline deadline) {
    return of(store.join(claim, false, deadline));
  }

  /** Joins without waiting, and must be granted. */
  public static Granted granted(LockStore store, Claim claim) {
    return (Granted) join(store, claim);
  }

  /** Joins, and would wait. */
  public static JoinAnswer queue(LockStore store, Claim claim) {
    return queue(store, claim, Deadlines.far());
  }

  /** Joins, and would wait. */
  public static JoinAnswer queue(LockStore store, Claim claim, Deadline deadline) {
    return of(store.join(claim, true, deadline));
  }

  /** Refreshes one claim. */
  public static Standing refresh(LockStore store, Claim claim) {
    return refresh(store, claim, Deadlines.far());
  }

  /** Refreshes one claim. */
  public static Standing refresh(LockStore store, Claim claim, Deadline deadline) {
    return of(refreshing(store, claim, deadline));
  }

  /** Refreshes one claim, and does not wait for the answer. */
  public static CompletableFuture<Standing> refreshing(
      LockStore store, Claim claim, Deadline deadline) {
    return store
        .refresh(List.of(claim), deadline)
        .thenApply(all -> Objects.requireNonNull(all.get(claim)))
        .toCompletableFuture();
  }

  /** Leaves. */
  public static Left leave(LockStore store, Claim claim) {
    return leave(store, Departure.of(claim));
  }

  /** Leaves in this way. */
  public static Left leave(LockStore store, Departure departure) {
    return leave(store, departure, Deadlines.far());
  }

  /** Leaves in this way. */
  public static Left leave(LockStore store, Departure departure, Deadline deadline) {
    return Objects.requireNonNull(
        of(store.leave(List.of(departure), deadline)).get(departure.claim()));
  }

  /** Waits for an answer; what the store failed with is thrown as it is. */
  public static <T> T of(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("no answer within 60 s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for an answer", e);
    }
  }
}
