package dev.holdfast.testkit.explorer;

import dev.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One caller of a world, with what it was told so far. Not thread-safe. */
final class Caller {

  /** How far it has come. */
  enum Stage {
    BEFORE,
    WAITING,
    HOLDING,
    DONE
  }

  final String name;
  final Wish wish;
  final boolean exclusive;

  // Mutable state
  Stage stage = Stage.BEFORE;
  @Nullable CompletableFuture<@Nullable Lease> request;
  @Nullable CompletableFuture<Boolean> release;
  @Nullable Lease lease;
  boolean contended; // somebody else had or wanted the lock during its wait
  boolean broken; // the lock was broken while it held
  boolean seenOver;
  long askedAt;
  long heldSince;
  long brokenAt;

  Caller(String name, Wish wish, boolean exclusive) {
    this.name = name;
    this.wish = wish;
    this.exclusive = exclusive;
  }

  boolean isValid() {
    Lease held = lease;
    return stage == Stage.HOLDING && held != null && held.isValid();
  }

  /** Whether it wants something of the lock. */
  boolean isActive() {
    return stage == Stage.WAITING || stage == Stage.HOLDING;
  }
}
