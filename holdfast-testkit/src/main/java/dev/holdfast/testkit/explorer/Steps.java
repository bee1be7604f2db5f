package dev.holdfast.testkit.explorer;

import dev.holdfast.testkit.explorer.Caller.Stage;
import dev.holdfast.testkit.explorer.World.Incident;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What can happen next in a {@link Run}. The first one is the usual: all ask, messages arrive in
 * the order of their sending, leases are released, and time passes when there is nothing else. Any
 * other one is a deviation.
 */
final class Steps {

  private final Run run;
  private final Set<Incident> left;

  Steps(Run run) {
    this.run = run;
    this.left = EnumSet.noneOf(Incident.class);
    this.left.addAll(run.world.incidents());
  }

  /** None when everything has happened. */
  List<Step> possible() {
    List<Step> steps = new ArrayList<>();
    submits(steps, true);
    Message oldest = run.oldest();
    arrivals(steps, oldest);
    boolean active = false;
    for (Caller caller : run.callers) {
      active |= caller.stage != Stage.DONE;
    }
    releases(steps, true);
    attaches(steps);
    if (active || oldest != null) {
      time(steps);
      releases(steps, false);
      submits(steps, false);
      faults(steps);
      incidents(steps);
    }
    return steps;
  }

  /** A thread usually does not ask while others are in its way. */
  private void submits(List<Step> steps, boolean usual) {
    for (Caller caller : run.callers) {
      boolean threaded = caller.wish.thread() > 0;
      if (caller.stage == Stage.BEFORE
          && (!threaded || run.actions.canEnter(caller))
          && usual == (!threaded || run.actions.isFree(caller))) {
        steps.add(Step.of(() -> caller.name + " asks: " + caller.wish, () -> run.submit(caller)));
      }
    }
  }

  /** Usually when the work is done. */
  private void releases(List<Step> steps, boolean usual) {
    for (Caller caller : run.callers) {
      if (caller.stage == Stage.HOLDING
          && usual == (run.now() - caller.heldSince >= caller.wish.work().toNanos())) {
        steps.add(Step.of(() -> caller.name + " releases", () -> run.release(caller)));
      }
    }
  }

  /** Usually by another client. */
  private void attaches(List<Step> steps) {
    for (Caller caller : run.callers) {
      for (int i = run.clients.size() - 1; i >= 0 && caller.stage == Stage.DETACHED; i--) {
        int client = i;
        if (run.wires.get(i).mode == Wire.Mode.UNDER_WAY && run.actions.canCall(i)) {
          steps.add(
              Step.of(
                  () -> "client " + client + " attaches the lease of " + caller.name,
                  () -> run.actions.attach(caller, client)));
        }
      }
    }
  }

  private void arrivals(List<Step> steps, @Nullable Message oldest) {
    if (oldest != null) {
      steps.add(arrival(oldest));
    }
    for (Wire wire : run.wires) {
      for (Message message : wire.messages) {
        if (message != oldest) {
          steps.add(arrival(message));
        }
      }
    }
  }

  private Step arrival(Message message) {
    String what = message.describe();
    return Step.of(() -> "arrives: " + what, () -> run.arrive(message));
  }

  private void time(List<Step> steps) {
    if (run.ticker.pending() > 0) {
      steps.add(
          Step.of(
              () -> "time passes to the next timer, " + run.ticker.sinceStart(),
              run.ticker::advanceToNext));
    }
    pass(steps, World.OPERATION_TIMEOUT.multipliedBy(2).dividedBy(3));
    pass(steps, World.TTL.plusMillis(1));
  }

  private void pass(List<Step> steps, Duration time) {
    steps.add(Step.of(() -> "time passes: " + time, () -> run.advance(time)));
  }

  private void faults(List<Step> steps) {
    if (run.faults >= run.world.faults()) {
      return;
    }
    for (Wire wire : run.wires) {
      for (Message message : wire.messages) {
        String what = message.describe();
        steps.add(Step.of(() -> "is lost: " + what, () -> run.lose(message)));
        if (!message.isHint()) {
          steps.add(Step.of(() -> "fails: " + what, () -> run.refuse(message)));
        }
        steps.add(Step.of(() -> "arrives twice: " + what, () -> run.arriveTwice(message)));
      }
    }
  }

  private void incidents(List<Step> steps) {
    if (left.contains(Incident.CANCEL)) {
      for (Caller caller : run.callers) {
        if (caller.stage == Stage.WAITING) {
          add(steps, Incident.CANCEL, caller.name, () -> run.cancel(caller));
        }
      }
    }
    if (left.contains(Incident.BREAK) && run.holder() != null) {
      add(steps, Incident.BREAK, "by an operator", run::breakLock);
    }
    holders(steps);
    for (int i = 0; i < run.clients.size(); i++) {
      int client = i;
      if (run.closed[i]) {
        continue;
      }
      String name = "client " + i;
      add(steps, Incident.CLOSE, name, () -> run.close(client));
      add(steps, Incident.CUT_OFF, name, () -> run.cutOff(client));
      add(steps, Incident.REFUSE_ALL, name, () -> run.refuseAll(client));
      if (run.holder() != null) {
        add(steps, Incident.RAISE_FLOOR, name, () -> run.raiseFloor(client));
      }
    }
  }

  private void holders(List<Step> steps) {
    for (Caller caller : run.callers) {
      if (!caller.isValid() || !run.actions.canCall(caller.client)) {
        continue;
      }
      add(steps, Incident.EXTEND, caller.name, () -> run.actions.extend(caller));
      if (caller.exclusive) {
        add(steps, Incident.DOWNGRADE, caller.name, () -> run.actions.downgrade(caller));
      }
      add(steps, Incident.DETACH, caller.name, () -> run.actions.detach(caller));
    }
  }

  private void add(List<Step> steps, Incident incident, String who, Runnable event) {
    if (left.contains(incident)) {
      steps.add(
          Step.of(
              () -> incident + " " + who,
              () -> {
                left.remove(incident);
                event.run();
              }));
    }
  }
}
