package dev.holdfast.engine.state;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LossReason;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.spi.Claim;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    /** No lease is open any more. */
    LAST
  }

  /** Something to run once the hold is lost, for one of its leases. */
  public record Action(Runnable task, Executor executor, Object lease) {}

  private static final AtomicLongFieldUpdater<Hold> ENTRIES =
      AtomicLongFieldUpdater.newUpdater(Hold.class, "entries");
  private static final long READER = 1;
  private static final long OTHER = 1L << 32;

  public final Tenure tenure;
  public final LockSpec spec;
  public final long token;
  public final long since;

  // Mutable state
  @Nullable Thread thread; // which may enter again
  private volatile long entries; // leases of readers in the lower half, others in the upper one
  private volatile boolean enteredAgain;
  private volatile @Nullable LeaseState ended; // null until then; the next two are written before
  private @Nullable LossReason reason;
  private long endedAt;
  public boolean ours; // it was, when it was released
  boolean toldReleased; // before the store has answered that
  public @Nullable CompletableFuture<Boolean> left; // learns of the leave that its release leads to
  private volatile long leaveAt; // when its maxHold is over; 0 if it has none
  long minHoldUntil; // the lock stays taken until then
  private @Nullable List<Action> onLost;
  public Object anchor = new Object(); // weak once it was held for a while
  public volatile boolean endedWithClient;
  public volatile boolean abandoned; // not renewed, because nobody can close it
  public volatile boolean ofView; // held by a view of java.util.concurrent, without a lease object

  Hold(Tenure tenure, Request request, long token, Moment now) {
    this.tenure = tenure;
    this.spec = request.spec;
    this.thread = spec.reentrant ? request.thread : null;
    this.token = token;
    this.since = now.nanos;
    ENTRIES.lazySet(this, spec.mode == Mode.SHARED ? READER : OTHER);
    this.minHoldUntil = since + spec.minHoldNanos;
    if (spec.maxHoldNanos != Long.MAX_VALUE) {
      leaveAt = after(spec.maxHoldNanos, now);
    }
  }

  /** {@return whether this thread may enter again} */
  public boolean isOf(Thread candidate) {
    return thread == candidate;
  }

  // ---------------------------------------------------------------- entries

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

  /** {@return whether a lease of this side is open} */
  public boolean isEntered(boolean reading) {
    return reading ? (int) entries > 0 : entries >= OTHER;
  }

  boolean exitIfLone() {
    return ENTRIES.compareAndSet(this, OTHER, 0);
  }

  // ---------------------------------------------------------------- time

  /** Nanoseconds for which it stays valid without another confirmation. */
  public long remaining(Moment now) {
    if (ended != null) {
      return 0;
    }
    long left = tenure.remaining(now);
    long limit = leaveAt;
    return limit == 0 ? left : Math.min(left, limit - spec.marginNanos - now.nanos);
  }

  /** Where it stands. */
  public LeaseState state(Moment now) {
    boolean valid = remaining(now) > 0;
    // Read after the validity: a hold that was released in between is not lost.
    LeaseState known = ended;
    if (known != null) {
      return known;
    }
    if (!valid) {
      return LeaseState.LOST;
    }
    return tenure.inJeopardy(now) ? LeaseState.JEOPARDY : LeaseState.HELD;
  }

  /** {@return whether it was released or lost, as far as the engine has noticed} */
  public boolean isOver() {
    return ended != null;
  }

  /** {@return whether it has a maxHold} */
  public boolean isLimited() {
    return leaveAt != 0;
  }

  /** It has this maxHold from now on, or none, and this minHold. */
  void limit(@Nullable Duration maxHold, Duration minHold, Moment now) {
    leaveAt = maxHold == null ? 0 : after(maxHold.toNanos(), now);
    minHoldUntil = now.nanos + minHold.toNanos();
  }

  /** A lease was never used: if it is the only one there was, the lock need not stay taken. */
  void forgetMinHold() {
    minHoldUntil = enteredAgain ? minHoldUntil : since;
  }

  private static long after(long nanos, Moment now) {
    long moment = now.nanos + nanos;
    return moment == 0 ? 1 : moment;
  }

  // The loss is signalled a margin before the lock is left, as with every other loss.
  private long lossAt() {
    return leaveAt - spec.marginNanos;
  }

  boolean mustTellLoss(Moment now) {
    return isLimited() && ended == null && now.nanos - lossAt() >= 0;
  }

  boolean mustLeave(Moment now) {
    return isLimited() && now.nanos - leaveAt >= 0;
  }

  /** How long its maxHold leaves; without limit {@link Long#MAX_VALUE}. */
  public long leftOfMaxHold(long now) {
    return isLimited() ? leaveAt - now : Long.MAX_VALUE;
  }

  /** The next moment at which its maxHold has an effect. */
  long nextMoment() {
    return ended != null ? leaveAt : lossAt();
  }

  // ---------------------------------------------------------------- the end

  void released(Moment now) {
    endedAt = now.nanos;
    ended = LeaseState.RELEASED;
  }

  /** Its release is confirmed, or not answered, which is no loss: its actions do not run. */
  void forgetActions() {
    onLost = null;
  }

  /**
   * Ends it as lost, also if its release has turned out to come too late.
   *
   * @return the actions to run
   */
  List<Action> lost(LossReason why, Moment now) {
    reason = why;
    endedAt = now.nanos;
    ended = LeaseState.LOST;
    // A copy: an action may take its own registration back while they run.
    List<Action> actions = onLost == null ? List.of() : List.copyOf(onLost);
    onLost = null;
    return actions;
  }

  /** Keeps an action for the loss. Called under the mutex. */
  void keep(Action action) {
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

  /** What to throw when it is over. */
  public LeaseLostException lostException(Moment now) {
    LeaseState known = ended;
    LossReason why = reason;
    String what;
    if (known == null) {
      what = "was not confirmed in time";
    } else if (why == null) {
      what = "was released";
    } else {
      what = "ended " + (now.nanos - endedAt) / 1_000_000 + " ms ago: " + why.text();
    }
    return new LeaseLostException(tenure.claim.lock(), token, what);
  }

  // ---------------------------------------------------------------- reachability

  /**
   * What every lease object of this hold refers to, so that the hold knows when all are gone.
   * Called under the mutex.
   */
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

  /** {@return whether somebody waits for its loss, or a living thread may enter it again} */
  public boolean isExpected() {
    return (onLost != null && !onLost.isEmpty()) || isEnterable();
  }

  /** {@return whether a living thread may enter it again} */
  boolean isEnterable() {
    Thread owner = thread;
    return owner != null && owner.isAlive();
  }

  /** What a worker needs to check it. */
  public Proof proof() {
    Claim claim = tenure.claim;
    return new Proof(claim.lock(), token, tenure.spec.mode, claim.owner());
  }
}
