package dev.holdfast.consul;

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
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Speaks to a store and waits for its answers. */
final class Ask {

  private Ask() {}

  static Claim mutex(String lock) {
    return mutex(lock, Duration.ofSeconds(60));
  }

  static Claim mutex(String lock, Duration ttl) {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    return new Claim(UUID.randomUUID().toString(), lock, Kind.MUTEX, 1, 1, owner, ttl, null, 0, 0);
  }

  static Claim writer(String lock, Duration ttl) {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    return new Claim(
        UUID.randomUUID().toString(),
        lock,
        Kind.READ_WRITE,
        Kind.UNBOUNDED,
        Kind.UNBOUNDED,
        owner,
        ttl,
        null,
        0,
        0);
  }

  /** A lock name that no other test uses. */
  static String name() {
    return "it/" + UUID.randomUUID();
  }

  static JoinAnswer join(LockStore store, Claim claim) {
    return join(store, claim, Deadlines.far());
  }

  static JoinAnswer join(LockStore store, Claim claim, Deadline deadline) {
    return of(store.join(claim, false, deadline));
  }

  static JoinAnswer queue(LockStore store, Claim claim) {
    return of(store.join(claim, true, Deadlines.far()));
  }

  static Granted granted(LockStore store, Claim claim) {
    return (Granted) join(store, claim);
  }

  static Standing refresh(LockStore store, Claim claim) {
    return refresh(store, claim, Deadlines.far());
  }

  static Standing refresh(LockStore store, Claim claim, Deadline deadline) {
    return of(store.refresh(List.of(claim), deadline)).get(claim);
  }

  static Left leave(LockStore store, Claim claim) {
    return leave(store, claim, Deadlines.far());
  }

  static Left leave(LockStore store, Claim claim, Deadline deadline) {
    return of(store.leave(List.of(Departure.of(claim)), deadline)).get(claim);
  }

  /** The answer; what the store failed with is thrown as it is. */
  static <T> T of(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
