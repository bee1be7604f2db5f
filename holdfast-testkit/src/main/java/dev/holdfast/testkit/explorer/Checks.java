package dev.holdfast.testkit.explorer;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.testkit.explorer.Caller.Stage;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares a {@link Run} with the {@link Invariant}s. Not thread-safe. */
final class Checks {

  private static final long FOLLOWED_NANOS = 2_000_000; // hints about holders are gathered for 1 ms

  private final Run run;
  private final HoldChecks holds;
  private final KeptChecks kept;
  private final Set<Long> tokens = new HashSet<>();

  // Mutable state
  private long highest;
  private long highestExclusive;

  Checks(Run run, HoldChecks holds, KeptChecks kept) {
    this.run = run;
    this.holds = holds;
    this.kept = kept;
  }

  // ---------------------------------------------------------------- in every state

  void look() {
    LockInfo stored = run.stored();
    holds.look(stored);
    kept.look(stored);
    exclusion(stored);
    contention(stored);
    limits();
    for (Wire wire : run.wires) {
      late(wire);
      if (wire.excessive) {
        run.violated(Invariant.BOUNDED_WORK, "client " + wire.client + " calls without end");
      }
    }
    if (run.isQuiet() && run.isFaultless()) {
      calm(stored);
    }
  }

  private void exclusion(LockInfo stored) {
    long taken = 0;
    Caller exclusive = null;
    Caller any = null;
    for (Caller caller : run.callers) {
      Lease lease = caller.lease;
      if (caller.stage != Stage.HOLDING || lease == null) {
        continue;
      }
      if (!lease.isValid()) {
        caller.seenOver = true;
        continue;
      }
      if (caller.seenOver) {
        run.violated(Invariant.LOSS_IS_FINAL, lease + " of " + caller.name + " is valid again");
      }
      if (!caller.broken) {
        covered(stored, caller, lease);
        taken += caller.wish.weight();
      }
      if (excludes(caller, exclusive) || (caller.exclusive && excludes(caller, any))) {
        run.violated(Invariant.EXCLUSION, lease + " of " + caller.name + " is not alone");
      }
      exclusive = caller.exclusive ? caller : exclusive;
      any = caller;
    }
    if (run.world.kind() == Kind.SEMAPHORE && taken > run.world.capacity()) {
      run.violated(Invariant.EXCLUSION, taken + " permits are in use");
    }
  }

  /** Another client notices a break later, but never the client that broke it. */
  private static boolean excludes(Caller caller, @Nullable Caller other) {
    return other != null
        && !caller.isSameThread(other)
        && ((!caller.broken && !other.broken) || caller.client == other.client);
  }

  private void covered(LockInfo stored, Caller caller, Lease lease) {
    Duration needed = lease.remaining().plus(run.margin);
    for (ClaimInfo holder : stored.holders()) {
      if (isOf(holder, caller) && holder.remaining().compareTo(needed) >= 0) {
        return;
      }
    }
    run.violated(
        Invariant.COVERED_BY_THE_STORE,
        lease + " is valid for " + lease.remaining() + " more; the store has " + stored);
  }

  /** Returns whether one of these claims is of the caller's client. */
  static boolean has(Iterable<ClaimInfo> claims, Caller caller) {
    for (ClaimInfo claim : claims) {
      if (isOf(claim, caller)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a claim was made by the caller's client. */
  static boolean isOf(ClaimInfo claim, Caller caller) {
    return Run.isOf(claim, caller.wish.client());
  }

  private void contention(LockInfo stored) {
    for (Caller caller : run.callers) {
      if (caller.stage == Stage.WAITING && !caller.contended) {
        caller.contended = isContended(caller, stored);
      }
    }
  }

  private boolean isContended(Caller caller, LockInfo stored) {
    for (Caller other : run.callers) {
      if (other != caller && other.wish.client() == caller.wish.client() && other.isActive()) {
        return true;
      }
    }
    return hasOther(stored.holders(), caller) || hasOther(stored.waiters(), caller);
  }

  private static boolean hasOther(Iterable<ClaimInfo> claims, Caller caller) {
    for (ClaimInfo claim : claims) {
      if (!claim.owner().thread().equals(caller.name)) {
        return true;
      }
    }
    return false;
  }

  private void limits() {
    for (Caller caller : run.callers) {
      Duration limit = caller.wish.limit();
      if (caller.stage == Stage.WAITING && limit != null) {
        Duration most = limit.plus(World.OPERATION_TIMEOUT);
        if (run.now() - caller.askedAt > most.toNanos()) {
          run.violated(Invariant.LIMITS_ARE_KEPT, caller.name + " waits for more than " + most);
        }
      }
    }
  }

  private void late(Wire wire) {
    long half = World.OPERATION_TIMEOUT.toNanos() / 2;
    for (Message message : wire.messages) {
      wire.unsettled |= !message.isHint() && run.now() - message.sent >= half;
    }
  }

  // ---------------------------------------------------------------- when all has arrived

  private void calm(LockInfo stored) {
    boolean active = false;
    for (Caller caller : run.callers) {
      active |= caller.isActive();
      if (caller.stage == Stage.WAITING && !isHolding(caller.wish.client())) {
        if (has(stored.holders(), caller) && !holds.isKept()) {
          run.violated(Invariant.GRANTS_ARE_HEARD, caller.name + " waits for its own grant");
        }
      }
      if (caller.broken && run.now() - caller.brokenAt >= FOLLOWED_NANOS && caller.isValid()) {
        run.violated(Invariant.BREAKS_ARE_HEARD, caller.lease + " outlives the break");
      }
    }
    if (!holds.isKept()) {
      kept.calm(stored);
    }
    if (!active && !holds.isKept() && !kept.mayStay(stored)) {
      nothingIsLeft(stored);
    }
  }

  private boolean isHolding(int client) {
    return run.callers.stream()
        .anyMatch(
            caller ->
                caller.wish.client() == client
                    && (caller.stage == Stage.HOLDING || caller.stage == Stage.DETACHED));
  }

  private void nothingIsLeft(LockInfo stored) {
    if (stored.isHeld() || !stored.waiters().isEmpty()) {
      run.violated(Invariant.NOTHING_IS_LEFT, "no caller wants the lock; the store has " + stored);
    }
    for (int i = 0; i < run.clients.size(); i++) {
      if (!run.closed[i] && Names.of(run.clients.get(i)) != 0) {
        run.violated(Invariant.NOTHING_IS_LEFT, "client " + i + " still has the name");
      }
    }
  }

  void atTheEnd() {
    for (Caller caller : run.callers) {
      if (caller.stage == Stage.WAITING) {
        run.violated(Invariant.EVERYTHING_IS_DECIDED, caller.name + " got no outcome");
      }
      if (caller.release != null && !caller.release.isDone()) {
        run.violated(Invariant.EVERYTHING_IS_DECIDED, caller.name + " releases without end");
      }
    }
    nothingIsLeft(run.stored());
  }

  // ---------------------------------------------------------------- when a caller gets an outcome

  void granted(Caller caller, Lease lease) {
    Caller outer = holds.outer(caller);
    if (outer != null) {
      holds.reentered(caller, outer, lease);
      return;
    }
    holds.began(caller);
    long token = lease.token();
    LockInfo stored = run.stored();
    inheritBreak(caller, stored);
    boolean rises = token > (caller.exclusive ? highest : highestExclusive);
    if (!tokens.add(token) || (!rises && !caller.broken)) {
      run.violated(
          Invariant.TOKENS_RISE,
          caller.name + " gets " + token + " after " + highestExclusive + " and " + highest);
    }
    highest = Math.max(highest, token);
    highestExclusive = caller.exclusive ? Math.max(highestExclusive, token) : highestExclusive;
    long floor = run.floors[caller.wish.client()];
    if (token <= floor) {
      run.violated(Invariant.ABOVE_THE_FLOOR, caller.name + " gets " + token + " <= " + floor);
    }
    if (!lease.isValid()) {
      run.violated(Invariant.LOSS_IS_FINAL, caller.name + " got a lease that is over");
    }
    boolean handedOff = stored.holders().stream().noneMatch(it -> it.token() == token);
    Duration half = run.world.options().validFor().dividedBy(2);
    if (handedOff && floor == 0 && !caller.broken && lease.remaining().compareTo(half) < 0) {
      run.violated(Invariant.HAND_OFF_LEAVES_TIME, lease + " has only " + lease.remaining());
    }
  }

  /** A claim that was broken may still be granted or handed off until its client notices. */
  private void inheritBreak(Caller caller, LockInfo stored) {
    if (run.broken[caller.wish.client()] && !has(stored.holders(), caller)) {
      caller.broken = true;
      caller.brokenAt = run.now();
    }
  }

  void refused(Caller caller, @Nullable Throwable failure) {
    int client = caller.wish.client();
    Throwable cause = failure == null ? null : Failures.unwrap(failure);
    Caller outer = holds.outer(caller);
    if (outer != null && !run.closed[client]) {
      holds.reentryRefused(caller, outer, cause);
    } else if (cause == null) {
      busy(caller);
    } else if (cause instanceof StoreException) {
      late(run.wires.get(client));
      if (!run.wires.get(client).unsettled) {
        run.violated(Invariant.UNKNOWN_IS_TRUE, caller.name + " gets: " + cause.getMessage());
      }
    } else if (!(cause instanceof IllegalStateException && run.closed[client])) {
      run.violated(Invariant.KNOWN_OUTCOMES, caller.name + " gets: " + cause);
    }
  }

  private void busy(Caller caller) {
    LockInfo stored = run.stored();
    kept.busy(caller, stored);
    if (!caller.contended && !isContended(caller, stored)) {
      run.violated(Invariant.BUSY_IS_TRUE, caller.name + " got busy; no other caller was there");
    }
    boolean alone =
        run.callers.stream()
            .noneMatch(it -> it.wish.client() == caller.wish.client() && it.isActive());
    if (alone
        && run.isFaultless()
        && (isThere(stored.holders(), caller) || isThere(stored.waiters(), caller))) {
      run.violated(
          Invariant.GIVING_UP_IS_LEAVING, caller.name + " got busy; the store has " + stored);
    }
  }

  private static boolean isThere(Iterable<ClaimInfo> claims, Caller caller) {
    for (ClaimInfo claim : claims) {
      if (claim.owner().thread().equals(caller.name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The claim of a lease that was lost, and that its caller has not released, is left to its ttl:
   * the engine does not know any more that the store may still have it.
   */
  void closed(int client, boolean lost) {
    if (lost) {
      return;
    }
    LockInfo stored = run.stored();
    kept.closed(client, stored);
    for (Caller caller : run.callers) {
      if (caller.wish.client() == client
          && (isThere(stored.holders(), caller) || isThere(stored.waiters(), caller))) {
        run.violated(Invariant.CLOSE_LEAVES, "client " + client + " has left " + stored);
      }
    }
  }

  long highestToken() {
    long stored = run.stored().holders().stream().mapToLong(ClaimInfo::token).max().orElse(0);
    return Math.max(highest, stored);
  }

  /** How many names a client has in use. */
  private static final class Names {
    private static final Field ENGINE;
    private static final Method NAMES;

    static {
      try {
        ENGINE = Holdfast.class.getDeclaredField("engine");
        ENGINE.setAccessible(true);
        NAMES = ENGINE.getType().getDeclaredMethod("names");
        NAMES.setAccessible(true);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("the engine has no names() any more", e);
      }
    }

    static int of(Holdfast client) {
      try {
        return (Integer) NAMES.invoke(ENGINE.get(client));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
