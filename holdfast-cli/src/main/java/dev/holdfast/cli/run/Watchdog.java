package dev.holdfast.cli.run;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Resources;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A small process beside the command that stops it, with all its descendants, when this process can
 * no longer: it is sent the remaining validity of the lease again and again, and acts when it hears
 * nothing for longer than that, or when this process has ended. See {@code watchdog.sh}.
 *
 * <p>One sleeping shell. If it is killed, another one is started, a few times.
 *
 * <p>Thread-safe.
 */
public final class Watchdog implements AutoCloseable {

  private static final int MOST_RESTARTS = 5;
  private static final Duration A_MOMENT = Duration.ofSeconds(2);
  private static final Duration TIME_TO_STOP = Duration.ofMinutes(1);

  private final ReentrantLock turn = new ReentrantLock();
  private final String script;
  private final Duration grace;
  private final RunMarker marker = new RunMarker();
  private final @Nullable String path;

  // Mutable state
  private WatchdogShell shell;
  private long guarded;
  private int restarts;
  private boolean finished;
  private @Nullable String standing; // stop or kill: final, whatever follows
  private @Nullable String early; // a signal that arrived before the command was started

  /**
   * Starts the process. It does nothing before {@link #guard}, and ends with this one.
   *
   * @param grace between TERM and KILL
   * @param path where to look for commands
   */
  public Watchdog(Duration grace, @Nullable String path) throws IOException {
    this(Resources.text("watchdog.sh"), grace, path);
  }

  /** With another script. */
  public Watchdog(String script, Duration grace, @Nullable String path) throws IOException {
    this.script = script;
    this.grace = grace;
    this.path = path;
    shell = WatchdogShell.start(script, grace, marker, path);
  }

  /** What the command must have in its environment. */
  RunMarker marker() {
    return marker;
  }

  /** The process's id; another one after it was replaced. */
  long pid() {
    turn.lock();
    try {
      return shell.pid();
    } finally {
      turn.unlock();
    }
  }

  /** From now on the process of this id is stopped when the lease ends. */
  void guard(long pid, Duration valid) {
    turn.lock();
    try {
      guarded = pid;
      send(Long.toString(pid));
      if (early != null) {
        pass(early, valid);
      } else {
        beat(valid);
      }
    } finally {
      turn.unlock();
    }
  }

  /** Reports how long the lease is valid from now. */
  void beat(Duration valid) {
    order(valid.isZero() ? "stop" : WatchdogShell.seconds(valid));
  }

  /** Passes a signal on to the command and its descendants. */
  void pass(String signal, Duration valid) {
    turn.lock();
    try {
      early = signal;
      order(valid.isZero() ? "stop" : WatchdogShell.seconds(valid) + " " + signal);
    } finally {
      turn.unlock();
    }
  }

  /** Stops the command: TERM, the grace, KILL. */
  void stop() {
    order("stop");
  }

  /** Kills the command at once, because the user says so: {@link #finish} does not count it. */
  void kill() {
    order("kill");
  }

  /** Returns whether the command could not be stopped, for example because it changed its user. */
  boolean hasGivenUp() {
    turn.lock();
    try {
      return shell.status(Duration.ZERO) == WatchdogShell.COULD_NOT_STOP;
    } finally {
      turn.unlock();
    }
  }

  /** Returns whether it has ended normally, with nothing left of what it had to stop. */
  boolean isDone() {
    turn.lock();
    try {
      return shell.status(Duration.ZERO) == 0;
    } finally {
      turn.unlock();
    }
  }

  /**
   * Ends the watchdog after the command has ended, once it has carried out its orders.
   *
   * @return whether it stopped the command, because of {@link #stop} or on its own; not if the
   *     command had ended by itself and only something that it left behind was stopped
   */
  boolean finish() {
    turn.lock();
    try {
      finished = true;
      shell.write("done");
      shell.hangUp();
      return shell.status(standing == null ? A_MOMENT : TIME_TO_STOP) == WatchdogShell.STOPPED;
    } finally {
      turn.unlock();
    }
  }

  @Override
  public void close() {
    turn.lock();
    try {
      finished = true;
      shell.hangUp();
    } finally {
      turn.unlock();
    }
  }

  private void order(String line) {
    turn.lock();
    try {
      if (standing == null && (line.equals("stop") || line.equals("kill"))) {
        standing = line;
      }
      if (!finished && guarded != 0) {
        send(standing != null ? standing : line);
      }
    } finally {
      turn.unlock();
    }
  }

  /** Writes the line, to a new watchdog if the last one was killed. */
  private void send(String line) {
    while (!shell.write(line)) {
      int status = shell.status(A_MOMENT);
      if (status == 0
          || status == WatchdogShell.STOPPED
          || status == WatchdogShell.COULD_NOT_STOP) {
        return; // it has done its work
      }
      if (restarts++ == MOST_RESTARTS) {
        throw new CliException(
            ExitCodes.INTERNAL,
            "the watchdog keeps ending (with "
                + status
                + "), so the command was stopped; it needs bash, or an sh whose read has -t");
      }
      try {
        shell = WatchdogShell.start(script, grace, marker, path);
      } catch (IOException e) {
        throw new CliException(
            ExitCodes.INTERNAL, "cannot start the watchdog: " + e.getMessage(), e);
      }
      shell.write(Long.toString(guarded));
    }
  }
}
