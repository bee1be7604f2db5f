package dev.holdfast.engine;

import dev.holdfast.LeaseState;
import dev.holdfast.Registration;
import dev.holdfast.engine.Hold.Action;
import dev.holdfast.engine.Hold.Exit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a {@link Hold}, which counts it already. All handles on it share this, so that it is
 * left once, whichever of them is closed. Any threads.
 */
final class Entry {

  private static final AtomicIntegerFieldUpdater<Entry> LEFT =
      AtomicIntegerFieldUpdater.newUpdater(Entry.class, "left");

  final Hold hold;
  final boolean reading;

  // Mutable state
  private volatile int left; // 1 from then on
  private volatile boolean listens;
  private volatile boolean apart; // left while the hold went on: that is others' business now

  Entry(Hold hold, boolean reading) {
    this.hold = hold;
    this.reading = reading;
  }

  LocalQueue queue() {
    return hold.tenure.queue;
  }

  boolean isLeft() {
    return left != 0;
  }

  /** Nanoseconds for which it stays valid without another confirmation. */
  long remaining() {
    return isLeft() ? 0 : hold.remaining(now());
  }

  LeaseState state() {
    LeaseState state = hold.state(now());
    // A nested lease is released although its thread still holds the lock.
    return isLeft() && (apart || state != LeaseState.LOST) ? LeaseState.RELEASED : state;
  }

  Registration onLost(Runnable action, Executor executor) {
    if (apart) {
      return Registration.NONE;
    }
    listens = true;
    Registration registration = queue().onLost(hold, new Action(action, executor, this));
    if (apart) { // left in between
      registration.close();
    }
    return registration;
  }

  /** Whether the caller is the one that leaves it, and goes on with {@link #exit}. */
  boolean leave() {
    return LEFT.compareAndSet(this, 0, 1);
  }

  /** What the store says to the end of this entry; null if nothing changes for it. */
  @Nullable CompletableFuture<Boolean> exit() {
    Exit exit = hold.exit(reading);
    if (exit != Exit.LAST && goesOn()) {
      apart = true;
      if (listens) {
        queue().guarded(() -> hold.forget(this));
      }
    }
    return switch (exit) {
      case LAST -> queue().release(hold);
      case DOWNGRADED -> queue().downgrade(hold);
      case NESTED -> null;
    };
  }

  /** A clock costs more than all the rest: it is read only where a loss would be noticed. */
  private boolean goesOn() {
    return listens || hold.isLimited()
        ? hold.remaining(now()) > 0
        : !hold.isOver() && !hold.tenure.wasSeenOver();
  }

  /** Leaves it; whether the lock was ours until now. */
  CompletableFuture<Boolean> end() {
    boolean ours = hold.remaining(now()) > 0; // first: what is seen to be over stays so
    if (!leave()) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> change = exit();
    return change != null ? change : CompletableFuture.completedFuture(ours);
  }

  /** Leaves it without its minHold: nobody has seen this lease, so nothing was done under it. */
  CompletableFuture<Boolean> giveBack() {
    queue().guarded(hold::forgetMinHold);
    return end();
  }

  private Moment now() {
    return queue().engine().now();
  }
}
