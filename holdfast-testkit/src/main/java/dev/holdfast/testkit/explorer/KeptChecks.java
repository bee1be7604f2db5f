package dev.holdfast.testkit.explorer;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.testkit.explorer.Caller.Stage;
import java.time.Duration;

/** What must be true of claims that a client keeps though nobody holds them. Not thread-safe. */
final class KeptChecks {

  /** How long a try waits for what the owner of a kept claim does about it. */
  private static final Duration OWNER_TIME = Duration.ofMillis(100);

  private final Run run;

  // Mutable state
  private long idleSince; // when a caller last had or wanted the lock

  KeptChecks(Run run) {
    this.run = run;
    this.idleSince = run.now();
  }

  // ---------------------------------------------------------------- in every state

  void look(LockInfo stored) {
    for (Caller caller : run.callers) {
      idleSince = caller.isActive() ? run.now() : idleSince;
      if (caller.stage == Stage.WAITING) {
        caller.opposed |= isOpposed(caller, stored);
        caller.delayed |= isDelayed();
      }
    }
  }

  /** Returns whether there is more against a caller than an idle claim that may be kept. */
  private boolean isOpposed(Caller caller, LockInfo stored) {
    for (Caller other : run.callers) {
      if (other != caller && other.isActive()) {
        return true;
      }
    }
    for (boolean closed : run.closed) {
      if (closed) {
        return true;
      }
    }
    return stored.holders().stream().anyMatch(it -> !isOwn(it, caller) && isGivenBack(it))
        || stored.waiters().stream().anyMatch(waiter -> !isOwn(waiter, caller));
  }

  /** Returns whether it cannot be idle any more, and only its leave has not arrived. */
  private boolean isGivenBack(ClaimInfo holder) {
    return !holder.keepable()
        && run.wires.stream()
            .filter(wire -> Run.isOf(holder, wire.client))
            .flatMap(wire -> wire.messages.stream())
            .anyMatch(message -> message.verb.equals("leave") && !message.arrived);
  }

  private static boolean isOwn(ClaimInfo claim, Caller caller) {
    return claim.owner().thread().equals(caller.name);
  }

  private boolean isDelayed() {
    return run.wires.stream()
        .flatMap(wire -> wire.messages.stream())
        .anyMatch(message -> run.now() - message.sent > 0);
  }

  /** When all has arrived: returns whether the store has no more than what a client may keep. */
  boolean mayStay(LockInfo stored) {
    return run.now() - idleSince <= run.world.options().keepIdle().toNanos()
        && stored.waiters().isEmpty()
        && stored.isHeld()
        && stored.holders().stream().allMatch(ClaimInfo::keepable);
  }

  /** When all has arrived: an idle claim that another one waits behind has left. */
  void calm(LockInfo stored) {
    if (stored.waiters().isEmpty()) {
      return;
    }
    for (ClaimInfo holder : stored.holders()) {
      if (!isInUse(holder)) {
        run.violated(Invariant.WANTED_IS_GIVEN_BACK, "nobody uses " + holder + " of " + stored);
      }
    }
  }

  /** Also by a caller whose lease has moved to another client, until its next renewal. */
  private boolean isInUse(ClaimInfo holder) {
    for (Caller caller : run.callers) {
      boolean its = Checks.isOf(holder, caller) || Run.isOf(holder, caller.client);
      if (its && caller.isActive() && caller.stage != Stage.WAITING) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- when something has ended

  void busy(Caller caller, LockInfo stored) {
    boolean patient = run.now() - caller.askedAt >= OWNER_TIME.toNanos();
    if (run.isFaultless()
        && !caller.opposed
        && !isOpposed(caller, stored)
        && !(patient && (caller.delayed || isDelayed()))) {
      run.violated(Invariant.KEPT_IS_NOT_BUSY, caller.name + " got busy; the store has " + stored);
    }
  }

  void closed(int client, LockInfo stored) {
    if (!run.wires.get(client).leaveHangs
        && stored.holders().stream().anyMatch(it -> it.keepable() && Run.isOf(it, client))) {
      run.violated(Invariant.CLOSE_LEAVES, "client " + client + " keeps " + stored);
    }
  }
}
