package dev.holdfast.engine;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One holder on a {@link Tenure}: what all nested leases of a thread share.
 *
 * <p>Mutable state is guarded by the lock of the {@link LocalQueue}; the volatile fields are
 * written under it and read without.
 */
final class Hold {

  /** What the end of one lease means for the hold. */
  enum Exit {
    /** Other leases go on as before. */
    NESTED,
    /** Only leases of readers go on: the writer is one from now on. */
    DOWNGRADED,
    /** Nobody is inside any more. */
    LAST
  }

  private static final AtomicLongFieldUpdater<Hold> ENTRIES =
      AtomicLongFieldUpdater.newUpdater(Hold.class, "entries");
  private static final long READER = 1;
  private static final long OTHER = 1L << 32;

  final Tenure tenure;
  final LockSpec spec;
  final @Nullable Thread thread;
  final long token;
  final long since;
  private final long lossNanos;

  // Mutable state
  private volatile long entries; // leases of readers in the lower half, others in the upper one
  private volatile boolean enteredAgain;
  private volatile @Nullable End end; // null until then
  private @Nullable List<Action> onLost;
  @Nullable HoldEvent event;

  Hold(Tenure tenure, Request request, long token, long since) {
    this.tenure = tenure;
    this.spec = request.spec;
    this.thread = request.reentrantThread();
    this.token = token;
    this.since = since;
    this.entries = spec.isReading() ? READER : OTHER;
    // The loss is told a margin before the lock is given up, as with every other loss.
    this.lossNanos = isLimited() ? spec.maxHoldNanos - spec.marginNanos : Long.MAX_VALUE;
  }

  /**
   * Counts one more lease of the same thread, unless the last one is being closed, or a reader
   * wants to write.
   */
  boolean enterAgain(boolean reading) {
    while (true) {
      long now = entries;
      if (reading ? now == 0 : now < OTHER) {
        return false;
      }
      if (!enteredAgain) {
        enteredAgain = true; // before it counts: no entry is taken for the only one then
      }
      if (ENTRIES.compareAndSet(this, now, now + (reading ? READER : OTHER))) {
        return true;
      }
    }
  }

  /** Counts one lease less. */
  Exit exit(boolean reading) {
    long left = ENTRIES.addAndGet(this, -(reading ? READER : OTHER));
    if (left == 0) {
      return Exit.LAST;
    }
    return !reading && left < OTHER ? Exit.DOWNGRADED : Exit.NESTED;
  }

  /** Whether a lease of this side is open. */
  boolean isEntered(boolean reading) {
    return reading ? (int) entries > 0 : entries >= OTHER;
  }

  boolean exitIfLone() {
    return ENTRIES.compareAndSet(this, OTHER, 0);
  }

  /** Nanoseconds for which it stays valid without another confirmation. */
  long remaining(Moment now) {
    if (isOver()) {
      return 0;
    }
    long left = isLimited() ? lossNanos - age(now.nanos()) : Long.MAX_VALUE;
    return Math.min(left, tenure.remaining(now));
  }

  LeaseState state(Moment now) {
    boolean valid = remaining(now) > 0;
    // Read after the validity: a hold that was released in between is not lost.
    End known = end;
    if (known != null) {
      return known.state();
    }
    if (!valid) {
      return LeaseState.LOST;
    }
    return tenure.inJeopardy(now.nanos()) ? LeaseState.JEOPARDY : LeaseState.HELD;
  }

  boolean isOver() {
    return end != null;
  }

  boolean mustTellLoss(long now) {
    return isLimited() && !isOver() && age(now) >= lossNanos;
  }

  boolean mustLeave(long now) {
    return isLimited() && age(now) >= spec.maxHoldNanos;
  }

  /** Whether it has a maxHold. */
  boolean isLimited() {
    return spec.maxHoldNanos != Long.MAX_VALUE;
  }

  /** For messages: what ends it, if that is known. */
  String untilWhen() {
    return isLimited() ? ", until its maxHold" : "";
  }

  /** The next moment at which its maxHold has an effect. */
  long nextMoment() {
    return since + (isOver() ? spec.maxHoldNanos : lossNanos);
  }

  private long age(long now) {
    return now - since;
  }

  void released(long now) {
    end = new End(LeaseState.RELEASED, "", now);
    onLost = null;
  }

  /** Ends it as lost; the actions are to be run by the caller, outside the queue's lock. */
  List<Action> lost(String why, long now) {
    end = new End(LeaseState.LOST, why, now);
    // A copy: an action may take its own registration back while they run.
    List<Action> actions = onLost == null ? List.of() : List.copyOf(onLost);
    onLost = null;
    return actions;
  }

  /**
   * Keeps an action for the loss; whether there is nothing to wait for any more is checked first.
   */
  Registration keep(Action action) {
    List<Action> actions = onLost == null ? new ArrayList<>(1) : onLost;
    onLost = actions;
    actions.add(action);
    return () -> tenure.queue.guarded(() -> actions.remove(action));
  }

  /** Drops the actions of one entry. */
  void forget(Entry entry) {
    if (onLost != null) {
      onLost.removeIf(action -> action.entry() == entry);
    }
  }

  /** A lease was never used: if it is the only one there was, the lock need not stay taken. */
  void forgetMinHold() {
    if (!enteredAgain) {
      tenure.forgetMinHold(this);
    }
  }

  LeaseLostException lostException(Ticker ticker) {
    End known = end;
    String why;
    if (known == null) {
      why = "was not confirmed in time";
    } else if (known.state() == LeaseState.RELEASED) {
      why = "was released";
    } else {
      long ago = (ticker.nanoTime() - known.at()) / 1_000_000;
      why = "ended " + ago + " ms ago: " + known.reason();
    }
    return new LeaseLostException(tenure.queue.name, token, why);
  }

  /** Two readers that both wait to become the writer would wait for ever. */
  IllegalStateException upgradeRefused() {
    return new IllegalStateException(
        "this thread reads '" + tenure.queue.name + "'; close that lease before writing");
  }

  Proof proof() {
    return new Proof(tenure.queue.name, token, tenure.spec.mode, tenure.claim.owner());
  }

  /** How and when it ended. */
  private record End(LeaseState state, String reason, long at) {}

  /** Something to run once the hold is lost, for one of its entries. */
  record Action(Runnable task, Executor executor, Entry entry) {}
}
