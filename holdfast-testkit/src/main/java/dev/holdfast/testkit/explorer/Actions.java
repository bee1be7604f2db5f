package dev.holdfast.testkit.explorer;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.testkit.explorer.Caller.Stage;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What callers do by blocking calls: threads that enter, and holders that extend, downgrade, detach
 * and attach. The store answers such a call at once, or refuses it at once, so it never waits; what
 * was under way before stays under way. Not thread-safe.
 */
final class Actions {

  static final Duration LONGER = Duration.ofMillis(1_500);
  static final Duration KEPT = Duration.ofMillis(400);

  private final Run run;
  private final HoldChecks checks;

  Actions(Run run, HoldChecks checks) {
    this.run = run;
    this.checks = checks;
  }

  /** Returns whether the store can answer a call of this client at once. */
  boolean canCall(int client) {
    return !run.closed[client] && run.wires.get(client).mode != Wire.Mode.CUT_OFF;
  }

  /** Returns whether a blocking request of this caller is decided at once, whatever it is. */
  boolean canEnter(Caller caller) {
    return run.closed[caller.client]
        || checks.outer(caller) != null
        || (canCall(caller.client) && isIdle(caller.client));
  }

  /** Returns whether no request of this client waits for an answer, or for its next attempt. */
  private boolean isIdle(int client) {
    Wire wire = run.wires.get(client);
    return wire.isIdle()
        && (!wire.unsettled
            || run.callers.stream()
                .noneMatch(
                    it -> it.client == client && it.stage == Stage.WAITING && it.request != null));
  }

  /** Returns whether no other caller is in the way of this one. */
  boolean isFree(Caller caller) {
    return run.callers.stream()
        .noneMatch(
            it ->
                it.stage == Stage.HOLDING
                    && !it.isSameThread(caller)
                    && (it.exclusive || caller.exclusive));
  }

  /** A thread asks, and gets its outcome at once. */
  void enter(Caller caller) {
    Lease lease = null;
    Exception failure = null;
    try {
      lease =
          atOnce(
              caller.client,
              () ->
                  run.hands.call(
                      caller.wish.thread(), caller.name, () -> Requests.now(run, caller.wish)));
    } catch (Exception e) {
      failure = e;
    }
    run.gotOutcome(caller, lease, failure);
  }

  void extend(Caller caller) {
    long now = run.now();
    Lease lease = held(caller);
    try {
      atOnce(
          caller.client,
          () -> {
            lease.extend(LONGER, KEPT);
            return true;
          });
    } catch (Exception e) {
      checks.failed(caller, e);
    }
    caller.limited = true; // the limits hold though the store may not have answered
    caller.leaveBy = now + LONGER.toNanos();
    caller.keptUntil = now + KEPT.toNanos();
  }

  void downgrade(Caller caller) {
    Lease writing = held(caller);
    try {
      Lease reading =
          atOnce(
              caller.client,
              () ->
                  run.clients
                      .get(caller.client)
                      .readWriteLock(Run.LOCK, run.world.options())
                      .downgrade(writing));
      checks.resumed(caller, writing.token(), reading);
      caller.lease = reading;
      caller.exclusive = false;
    } catch (Exception e) {
      checks.failed(caller, e);
    }
  }

  void detach(Caller caller) {
    Lease lease = held(caller);
    try {
      caller.handle = atOnce(caller.client, lease::detach);
      caller.stage = Stage.DETACHED;
      caller.detachedAt = run.now();
    } catch (Exception e) {
      checks.failed(caller, e);
    }
  }

  void attach(Caller caller, int client) {
    LeaseHandle handle = caller.handle;
    if (handle == null) {
      throw new IllegalStateException(caller.name + " has detached nothing");
    }
    LockInfo stored = run.stored();
    Lease resumed = null;
    try {
      resumed = atOnce(client, () -> run.clients.get(client).attach(handle));
      checks.resumed(caller, handle.token(), resumed);
      caller.client = client;
      caller.lease = resumed;
      caller.stage = Stage.HOLDING;
    } catch (Exception e) {
      caller.stage = Stage.DONE;
    }
    checks.attached(caller, handle.token(), stored, resumed);
  }

  private static Lease held(Caller caller) {
    Lease lease = caller.lease;
    if (lease == null) {
      throw new IllegalStateException(caller.name + " holds nothing");
    }
    return lease;
  }

  private <T extends @Nullable Object> T atOnce(int client, Callable<T> call) throws Exception {
    Wire wire = run.wires.get(client);
    Wire.Mode before = wire.mode;
    if (before == Wire.Mode.UNDER_WAY) {
      wire.mode = Wire.Mode.AT_ONCE;
    }
    try {
      return call.call();
    } finally {
      wire.mode = before;
    }
  }
}
