package dev.holdfast.testkit.explorer;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.explorer.Caller.Stage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of holds: of nested leases, of their limits and their ends. Not thread-safe.
 */
final class HoldChecks {

  private static final long ROUNDING_NANOS = 2_000_000; // a handle counts in milliseconds

  private final Run run;

  // Mutable state
  private long keptUntil; // by the minHold of leases that were released
  private boolean kept;

  HoldChecks(Run run) {
    this.run = run;
  }

  /** The lease that another one of this caller's thread holds; it re-enters that. */
  @Nullable Caller outer(Caller caller) {
    for (Caller other : run.callers) {
      if (other != caller
          && other.stage == Stage.HOLDING
          && other.isSameThread(caller)
          && run.world.kind() != Kind.SEMAPHORE) {
        return other;
      }
    }
    return null;
  }

  // ---------------------------------------------------------------- in every state

  void look(LockInfo stored) {
    for (Caller caller : run.callers) {
      Lease lease = caller.lease;
      if (caller.stage != Stage.HOLDING || lease == null || lease.isValid()) {
        continue;
      }
      if (lease.state() == LeaseState.RELEASED) {
        run.violated(
            Invariant.OPEN_UNTIL_ITS_CLOSE, lease + " of " + caller.name + " was not closed");
      }
      boolean answered = run.isFaultless() && run.wires.get(caller.client).isIdle();
      if (!caller.seenOver && answered && !caller.broken && !isOver(caller)) {
        run.violated(Invariant.LOSS_IS_TRUE, lease + " of " + caller.name + " is lost");
      }
    }
    maxHold(stored);
  }

  /** Returns whether its maxHold has passed. */
  private boolean isOver(Caller caller) {
    long margin = run.margin.toNanos();
    return caller.limited && caller.leaveBy - margin - ROUNDING_NANOS - run.now() <= 0;
  }

  private void maxHold(LockInfo stored) {
    for (ClaimInfo holder : stored.holders()) {
      long end = Long.MIN_VALUE;
      for (Caller caller : run.callers) {
        Lease lease = caller.lease;
        if (Checks.isOf(holder, caller)
            && caller.isValid()
            && lease != null
            && lease.token() >= holder.token()) {
          end = Math.max(end, caller.limited ? caller.leaveBy - run.now() : Long.MAX_VALUE / 2);
        }
      }
      long slack = run.longestWay + ROUNDING_NANOS;
      if (end != Long.MIN_VALUE && holder.remaining().toNanos() > Math.max(0, end) + slack) {
        run.violated(
            Invariant.MAX_HOLD, holder + " outlives its maxHold, which leaves " + end + " ns");
      }
    }
  }

  /**
   * Returns whether a released lock may stay taken by its minHold, which begins with a late leave.
   */
  boolean isKept() {
    return kept && keptUntil + run.longestWay - run.now() >= 0;
  }

  // ---------------------------------------------------------------- when a caller gets an outcome

  /** A caller gets a new hold. */
  void began(Caller caller) {
    Duration most = run.world.options().maxHold();
    caller.limited = most != null;
    caller.leaveBy = most == null ? 0 : run.now() + most.toNanos();
    caller.keptUntil = run.now() + caller.wish.minHold().toNanos();
    if (caller.exclusive && run.isFaultless() && kept && keptUntil - run.now() > 0) {
      run.violated(Invariant.MIN_HOLD, caller.name + " gets the lock before a minHold is over");
    }
  }

  /** A thread enters the hold again that it has. */
  void reentered(Caller caller, Caller outer, Lease lease) {
    Lease held = outer.lease;
    if (held == null || !held.isValid() || held.token() != lease.token()) {
      run.violated(Invariant.RE_ENTRY, caller.name + " gets " + lease + " inside " + held);
    }
    caller.broken = outer.broken;
    caller.brokenAt = outer.brokenAt;
    caller.limited = outer.limited;
    caller.leaveBy = outer.leaveBy;
    caller.keptUntil = run.now() + caller.wish.minHold().toNanos();
  }

  /** A thread that has a lost hold does not get another. */
  void reentryRefused(Caller caller, Caller outer, @Nullable Throwable cause) {
    boolean upgrade =
        cause instanceof IllegalStateException && caller.exclusive && !holdsAlone(caller);
    boolean lost = cause instanceof LeaseLostException && !outer.isValid();
    if (!upgrade && !lost) {
      run.violated(Invariant.RE_ENTRY, caller.name + " gets " + cause + " inside " + outer.lease);
    }
  }

  private boolean holdsAlone(Caller caller) {
    return run.callers.stream()
        .anyMatch(it -> it.stage == Stage.HOLDING && it.isSameThread(caller) && it.exclusive);
  }

  /** A caller is about to release. */
  void releasing(Caller caller) {
    if (caller.isValid() && !caller.broken) {
      keptUntil = kept && keptUntil - caller.keptUntil > 0 ? keptUntil : caller.keptUntil;
      kept = true;
    }
  }

  /** An operator has ended what was held. */
  void broken() {
    kept = false;
  }

  // ---------------------------------------------------------------- when a holder has acted

  /** A lease goes on as another one. */
  void resumed(Caller caller, long token, Lease lease) {
    if (lease.token() != token) {
      run.violated(Invariant.RE_ENTRY, caller.name + " had " + token + " and goes on as " + lease);
    }
  }

  /** A detached lease was attached, or was not. */
  void attached(Caller caller, long token, LockInfo before, @Nullable Lease resumed) {
    boolean there =
        before.holders().stream().anyMatch(it -> it.token() <= token && token <= it.lastToken());
    if (there != (resumed != null) || (!there && isAlive(caller))) {
      run.violated(
          resumed == null ? Invariant.LOSS_IS_TRUE : Invariant.LOSS_IS_FINAL,
          "attached: " + resumed + " by " + caller.name + "; the store had " + before);
    }
  }

  /** Returns whether the claim of a detached lease must still be there. */
  private boolean isAlive(Caller caller) {
    long life = World.TTL.toNanos();
    life = caller.limited ? Math.min(life, caller.leaveBy - caller.detachedAt) : life;
    boolean young = run.now() - caller.detachedAt < life - ROUNDING_NANOS;
    return young && !caller.broken && run.isFaultless();
  }

  /** A holder's request is refused. */
  void failed(Caller caller, Exception failure) {
    if (failure instanceof LeaseLostException) {
      if (run.isFaultless() && !caller.broken && !isOver(caller)) {
        run.violated(Invariant.LOSS_IS_TRUE, caller.name + " gets: " + failure);
      }
    } else if (!(failure instanceof StoreException && run.wires.get(caller.client).unsettled)) {
      run.violated(Invariant.KNOWN_OUTCOMES, caller.name + " gets: " + failure);
    }
  }
}
