package dev.holdfast.etcd;

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
import java.util.concurrent.CompletableFuture;
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

  /** The same claim, with another ttl. */
  static Claim lasting(Claim claim, Duration ttl) {
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
    return queue(store, claim, Deadlines.far());
  }

  static JoinAnswer queue(LockStore store, Claim claim, Deadline deadline) {
    return of(store.join(claim, true, deadline));
  }

  static Granted granted(LockStore store, Claim claim) {
    return (Granted) join(store, claim);
  }

  static Standing refresh(LockStore store, Claim claim) {
    return refresh(store, claim, Deadlines.far());
  }

  static Standing refresh(LockStore store, Claim claim, Deadline deadline) {
    return of(refreshing(store, claim, deadline));
  }

  /** One that may still be under way. */
  static CompletableFuture<Standing> refreshing(LockStore store, Claim claim, Deadline deadline) {
    return store
        .refresh(List.of(claim), deadline)
        .thenApply(all -> all.get(claim))
        .toCompletableFuture();
  }

  static Left leave(LockStore store, Claim claim) {
    return leave(store, Departure.of(claim), Deadlines.far());
  }

  static Left leave(LockStore store, Departure departure, Deadline deadline) {
    return of(store.leave(List.of(departure), deadline)).get(departure.claim());
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
