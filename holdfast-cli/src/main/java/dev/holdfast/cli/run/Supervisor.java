package dev.holdfast.cli.run;

import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.lock.HeldLease;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.signal.Signals;
import dev.holdfast.cli.signal.StopRequests;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the user's command while its lease is valid, and no longer.
 *
 * <ol>
 *   <li>The command starts, and the watchdog guards it.
 *   <li>Until it ends, the watchdog is sent the remaining validity of the lease a few times per
 *       ttl.
 *   <li>When the lease is lost, the watchdog stops the command; it does so by itself when it hears
 *       nothing more from here.
 *   <li>When the command has ended, the lock is released, and the command's exit code is ours.
 * </ol>
 */
public final class Supervisor {

  private static final Duration LONGEST_BEAT = Duration.ofSeconds(10);

  private final HeldLease held;
  private final Duration ttl;
  private final Watchdog watchdog;
  private final StopRequests stopRequests;
  private final ProofKeys keys;
  private final Console console;
  private final AtomicInteger signals = new AtomicInteger();

  // Mutable state
  private boolean stoppedForLoss;

  public Supervisor(
      HeldLease held,
      Duration ttl,
      Watchdog watchdog,
      StopRequests stopRequests,
      ProofKeys keys,
      Console console) {
    this.held = held;
    this.ttl = ttl;
    this.watchdog = watchdog;
    this.stopRequests = stopRequests;
    this.keys = keys;
    this.console = console;
  }

  /** Runs the command to its end; returns the exit code. Stay on this thread: see {@link Child}. */
  public int run(Child child, List<String> command) throws InterruptedException {
    if (!stopRequests.handOver(passOn(child.sharesTerminal()))) {
      return ExitCodes.ofSignal(stopRequests.first().join());
    }
    if (!held.isValid()) { // we were stopped or asleep for too long
      console.say(lost() + " before the command was started");
      stoppedForLoss = true;
      return ExitCodes.LOST;
    }
    Process process = start(child, command);
    try (Registration whenLost = held.onLost(watchdog::stop)) {
      watchdog.guard(process.pid(), held.remaining());
      // Often enough that one late beat, after a renewal every third of the ttl, does no harm.
      Duration beat = ttl.dividedBy(12);
      long nanos = (beat.compareTo(LONGEST_BEAT) < 0 ? beat : LONGEST_BEAT).toNanos();
      while (!process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
        watchdog.beat(held.remaining());
        if (watchdog.hasGivenUp()) {
          console.say(lost() + ", and the command (pid " + process.pid() + ") cannot be stopped");
          return ExitCodes.LOST;
        }
      }
      return finish(process.exitValue());
    } finally {
      // Only after a failure of ours is there anything left to end here.
      if (process.isAlive()) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(1, TimeUnit.SECONDS);
      }
    }
  }

  /** Returns whether a signal has asked for the end of the command. */
  public boolean isAskedToStop() {
    return signals.get() > 0;
  }

  /**
   * Returns whether the loss of the lease has stopped the command, or kept it from being started,
   * and nothing of it is left. One that has ended by itself, with whatever code, is done.
   */
  public boolean isStoppedForLoss() {
    return stoppedForLoss;
  }

  private Process start(Child child, List<String> command) {
    Map<String, String> variables = new HashMap<>();
    variables.put("HOLDFAST_LOCK", held.each(Lease::lockName));
    variables.put("HOLDFAST_TOKEN", held.each(part -> Long.toString(part.token())));
    variables.put("HOLDFAST_OWNER", held.parts().get(0).owner().encode());
    variables.put("HOLDFAST_PROOF", held.each(part -> keys.text(part.proof())));
    variables.put(
        RunMarker.VARIABLE, watchdog.marker().appendedTo(console.env(RunMarker.VARIABLE)));
    if (held.parts().get(0) instanceof Leadership leadership) {
      variables.put("HOLDFAST_LEADER_VALUE", leadership.value());
    }
    try {
      return child.start(command, variables);
    } catch (IOException e) {
      throw new CliException(
          ExitCodes.NOT_EXECUTABLE, "cannot start '" + command.get(0) + "': " + e.getMessage(), e);
    }
  }

  private int finish(int code) {
    boolean valid = held.isValid();
    if (!valid || isAskedToStop()) {
      watchdog.stop(); // what the command left behind must not run on without the lock either
    }
    stoppedForLoss = watchdog.finish();
    if (stoppedForLoss) {
      console.say(lost() + " and the command was stopped: another holder may be running");
      return ExitCodes.LOST;
    }
    if (!valid) {
      console.say(
          watchdog.isDone()
              ? lostBeforeTheEnd(code)
              : lost() + "; some of the command's processes may still run beside another holder");
      return ExitCodes.LOST;
    }
    if (isAskedToStop() && !watchdog.isDone()) {
      console.say(
          "some of the command's processes could not be stopped; they continue without the lock");
    }
    return release(code);
  }

  private int release(int code) {
    try {
      if (held.release()) {
        return code;
      }
      console.say(lostBeforeTheEnd(code));
      return ExitCodes.LOST;
    } catch (StoreException e) {
      console.say(
          "the command has ended, but the store did not answer the release: the lock '"
              + names()
              + "' expires within "
              + Durations.format(ttl),
          e);
      return code;
    }
  }

  private String lostBeforeTheEnd(int code) {
    return lost()
        + " before the command ended (exit code "
        + code
        + "): another holder may have run beside it";
  }

  private String lost() {
    return "the lock '"
        + names()
        + "' (token "
        + held.each(part -> Long.toString(part.token()))
        + ") was lost";
  }

  private String names() {
    return held.each(Lease::lockName).replace(",", ", ");
  }

  /** The first signal goes to the command, which may take its time; the second one kills it. */
  Signals.Handler passOn(boolean sharesTerminal) {
    return (name, number) -> {
      if (sharesTerminal && name.equals("INT") && held.isValid()) {
        return; // the interrupt key reaches the command itself, which may have its own use for it
      }
      if (signals.getAndIncrement() == 0) {
        watchdog.pass(name, held.remaining());
      } else {
        watchdog.kill();
      }
    };
  }
}
