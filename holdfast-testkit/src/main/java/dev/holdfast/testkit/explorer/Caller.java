package dev.holdfast.testkit.explorer;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One caller of a world, with the outcomes that it got so far. Not thread-safe. */
final class Caller {

  /** How far it has come. */
  enum Stage {
    BEFORE,
    WAITING,
    HOLDING,
    DETACHED,
    DONE
  }

  final String name;
  final Wish wish;

  // Mutable state
  int client; // another one than its wish's once that has attached its lease
  boolean exclusive; // until it is downgraded
  Stage stage = Stage.BEFORE;
  @Nullable CompletableFuture<@Nullable Lease> request;
  @Nullable CompletableFuture<Boolean> release;
  @Nullable Lease lease;
  @Nullable LeaseHandle handle;
  boolean contended; // another caller had or wanted the lock during its wait
  boolean opposed; // by more than an idle claim
  boolean delayed; // a message was under way for a while during its wait
  boolean broken; // the lock was broken while it held
  boolean seenOver;
  boolean limited; // has a maxHold
  long askedAt;
  long heldSince;
  long leaveBy; // by its maxHold
  long keptUntil; // by its minHold
  long brokenAt;
  long detachedAt;

  Caller(String name, Wish wish, boolean exclusive) {
    this.name = name;
    this.wish = wish;
    this.client = wish.client();
    this.exclusive = exclusive;
  }

  boolean isValid() {
    Lease held = lease;
    return stage == Stage.HOLDING && held != null && held.isValid();
  }

  /** Returns whether it wants something of the lock. */
  boolean isActive() {
    return stage == Stage.WAITING || stage == Stage.HOLDING || stage == Stage.DETACHED;
  }

  /** Returns whether both requests come from one thread of a client. */
  boolean isSameThread(Caller other) {
    return wish.thread() > 0 && wish.thread() == other.wish.thread() && client == other.client;
  }
}
