package dev.holdfast.engine.state;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LossReason;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.spi.support.PrintableText;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One holder on a {@link Tenure}: what all nested leases of a thread share.
 *
 * <p>Mutable state is guarded by the lock's mutex; the volatile fields are written under it and
 * read without.
 */
public final class Hold {

  /** What the end of one lease means for the hold. */
  public enum Exit {
    /** Other leases go on as before. */
    NESTED,
    /** Only leases of readers go on: the writer is a reader from now on. */
    DOWNGRADED,
    /** Nobody is inside any more. */
    LAST
  }

  /** Something to run once the hold is lost, for one of its leases. */
  public record Action(Runnable task, Executor executor, Object lease) {}

  private record End(LeaseState state, @Nullable LossReason reason, long at) {}

  private static final AtomicLongFieldUpdater<Hold> ENTRIES =
      AtomicLongFieldUpdater.newUpdater(Hold.class, "entries");
  private static final long READER = 1;
  private static final long OTHER = 1L << 32;

  public final Tenure tenure;
  public final LockSpec spec;
  public final long token;
  public final long since;

  // Mutable state
  volatile @Nullable Thread thread; // which may enter again
  private volatile long entries; // leases of readers in the lower half, others in the upper one
  private volatile boolean enteredAgain;
  private volatile @Nullable End end; // null until then
  volatile boolean limited; // has a maxHold
  private volatile long leaveAt; // when its maxHold is over
  private @Nullable List<Action> onLost;
  private volatile Object anchor = new Object(); // weak once it was held for a while
  volatile boolean endedWithClient;
  volatile boolean abandoned;
  private volatile boolean ofView;

  Hold(Tenure tenure, Request request, long token, long since) {
    this.tenure = tenure;
    this.spec = request.spec;
    this.thread = request.reentrantThread();
    this.token = token;
    this.since = since;
    this.entries = spec.mode == Mode.SHARED ? READER : OTHER;
    if (spec.maxHoldNanos != Long.MAX_VALUE) {
      limit(since + spec.maxHoldNanos);
    }
  }

  void limit(long moment) {
    leaveAt = moment;
    limited = true;
  }

  /**
   * Counts one more lease of the same thread.
   *
   * @return false if the last one is being closed, or a reader wants to write
   */
  public boolean enterAgain(boolean reading) {
    while (true) {
      long now = entries;
      if (reading ? now == 0 : now < OTHER) {
        return false;
      }
      if (!enteredAgain) {
        enteredAgain = true; // before it counts: no lease is taken for the only one then
      }
      if (ENTRIES.compareAndSet(this, now, now + (reading ? READER : OTHER))) {
        return true;
      }
    }
  }

  /** Counts one lease less. */
  public Exit exit(boolean reading) {
    long left = ENTRIES.addAndGet(this, -(reading ? READER : OTHER));
    if (left == 0) {
      return Exit.LAST;
    }
    return !reading && left < OTHER ? Exit.DOWNGRADED : Exit.NESTED;
  }

  /** Whether a lease of this side is open. */
  public boolean isEntered(boolean reading) {
    return reading ? (int) entries > 0 : entries >= OTHER;
  }

  boolean exitIfLone() {
    return ENTRIES.compareAndSet(this, OTHER, 0);
  }

  /** Whether this thread may enter again. */
  public boolean isOf(@Nullable Thread candidate) {
    return candidate != null && thread == candidate;
  }

  /** Nanoseconds for which it stays valid without another confirmation. */
  public long remaining(Moment now) {
    if (end != null) {
      return 0;
    }
    long left = tenure.remaining(now);
    return limited ? Math.min(left, lossAt() - now.nanos) : left;
  }

  /** Where it stands. */
  public LeaseState state(Moment now) {
    boolean valid = remaining(now) > 0;
    // Read after the validity: a hold that was released in between is not lost.
    End known = end;
    if (known != null) {
      return known.state();
    }
    if (!valid) {
      return LeaseState.LOST;
    }
    return tenure.inJeopardy(now.nanos) ? LeaseState.JEOPARDY : LeaseState.HELD;
  }

  /** Whether it was released or lost, as far as the engine has noticed. */
  public boolean isOver() {
    return end != null;
  }

  /** Whether it was released by the end of the client. */
  public boolean isEndedWithClient() {
    return endedWithClient;
  }

  /** Whether it has a maxHold. */
  public boolean isLimited() {
    return limited;
  }

  // The loss is told a margin before the lock is given up, as with every other loss.
  private long lossAt() {
    return leaveAt - spec.marginNanos;
  }

  boolean mustTellLoss(long now) {
    return limited && end == null && now - lossAt() >= 0;
  }

  boolean mustLeave(long now) {
    return limited && now - leaveAt >= 0;
  }

  /** How long its maxHold leaves; without limit {@link Long#MAX_VALUE}. */
  public long leftOfMaxHold(long now) {
    return limited ? leaveAt - now : Long.MAX_VALUE;
  }

  /** The next moment at which its maxHold has an effect. */
  long nextMoment() {
    return end != null ? leaveAt : lossAt();
  }

  void released(long now) {
    end = new End(LeaseState.RELEASED, null, now);
    onLost = null;
  }

  /**
   * Ends it as lost.
   *
   * @return the actions to run
   */
  List<Action> lost(LossReason reason, long now) {
    end = new End(LeaseState.LOST, reason, now);
    // A copy: an action may take its own registration back while they run.
    List<Action> actions = onLost == null ? List.of() : List.copyOf(onLost);
    onLost = null;
    return actions;
  }

  /** Keeps an action for the loss. Called under the mutex. */
  public void keep(Action action) {
    List<Action> actions = onLost == null ? new ArrayList<>(1) : onLost;
    onLost = actions;
    actions.add(action);
  }

  /** Drops an action. Called under the mutex. */
  public void drop(Action action) {
    if (onLost != null) {
      onLost.remove(action);
    }
  }

  /** Drops the actions of one lease. Called under the mutex. */
  public void dropActionsOf(Object lease) {
    if (onLost != null) {
      onLost.removeIf(action -> action.lease() == lease);
    }
  }

  /** A lease was never used: if it is the only one there was, the lock need not stay taken. */
  public void forgetMinHold() {
    if (!enteredAgain) {
      tenure.forgetMinHold(this);
    }
  }

  /** What every lease object of this hold refers to, so that the hold knows when all are gone. */
  public Object anchor() {
    Object current = anchor;
    Object known = current instanceof WeakReference<?> weak ? weak.get() : current;
    if (known == null) {
      known = new Object();
      anchor = known;
    }
    return known;
  }

  /**
   * Looks whether anybody can still close it. The first look only begins to pay attention. Called
   * under the mutex.
   *
   * @return whether no lease object refers to it any more
   */
  public boolean isUnreferenced() {
    if (anchor instanceof WeakReference<?> weak) {
      return weak.refersTo(null);
    }
    anchor = new WeakReference<>(anchor);
    return false;
  }

  /** Whether somebody waits for its loss, or a living thread may enter it again. */
  public boolean isExpected() {
    Thread owner = thread;
    return (onLost != null && !onLost.isEmpty()) || (owner != null && owner.isAlive());
  }

  /** A view of {@code java.util.concurrent} holds it, which has no lease object. */
  public void viewed() {
    ofView = true;
  }

  /** Whether a view holds it. */
  public boolean isOfView() {
    return ofView;
  }

  /** Whether it is no longer renewed because nobody can close it. */
  public boolean isAbandoned() {
    return abandoned;
  }

  /** Why it was lost; null if it was not. */
  public @Nullable LossReason lossReason() {
    End known = end;
    return known == null ? null : known.reason();
  }

  /** What to throw when it is over. */
  public LeaseLostException lostException(long now) {
    End known = end;
    String what;
    if (known == null) {
      what = "was not confirmed in time";
    } else if (known.reason() == null) {
      what = "was released";
    } else {
      what = "ended " + (now - known.at()) / 1_000_000 + " ms ago: " + known.reason().text();
    }
    return new LeaseLostException(tenure.claim.lock(), token, what);
  }

  /** Two readers that both wait to become the writer would wait for ever. */
  IllegalStateException upgradeRefused() {
    return new IllegalStateException(
        "this thread reads "
            + PrintableText.quote(tenure.claim.lock())
            + "; close that lease before writing");
  }

  /** What a worker needs to check it. */
  public Proof proof() {
    return new Proof(tenure.claim.lock(), token, tenure.spec.mode, tenure.claim.owner());
  }
}
