package dev.holdfast.testkit.simulation.time;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Time as one machine sees it: its clocks run at their own rate, its wall clock may jump, and it
 * may stand still (a process that is stopped: its clocks run on) or sleep (its monotonic clock
 * stands still, too). What comes due meanwhile happens when it runs on. Not thread-safe.
 */
public final class MachineClock implements Ticker {

  private static final long START_WALL_MICROS = 1_800_000_000_000_000L; // early in 2027

  private final Scheduler scheduler;
  private final double rate;

  // Mutable state
  private long base; // the monotonic clock at that moment of true time
  private long baseAt;
  private long wallMicros; // beyond what true time and the rate make it
  private boolean stopped;
  private boolean asleep;
  private boolean dead;
  private List<Runnable> late = new ArrayList<>();

  /**
   * Begins now.
   *
   * @param start what the monotonic clock shows
   * @param rate how fast both clocks run
   */
  public MachineClock(Scheduler scheduler, long start, double rate) {
    this.scheduler = scheduler;
    this.rate = rate;
    this.base = start;
    this.baseAt = scheduler.now();
    // Machines agree on the wall clock when they begin.
    this.wallMicros = START_WALL_MICROS + (long) (scheduler.now() / 1_000.0 * (1 - rate));
  }

  @Override
  public long nanoTime() {
    return asleep ? base : base + scaled(scheduler.now() - baseAt);
  }

  private long scaled(long nanos) {
    return rate == 1 ? nanos : (long) (nanos * rate);
  }

  @Override
  public long wallMicros() {
    return wallMicros + scaled(scheduler.now() / 1_000);
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    Timer timer = new Timer(nanoTime() + Math.max(0, delay.toNanos()), task);
    timer.plan();
    return timer;
  }

  /** Runs a task on this machine: now, or when it runs on; never if it is gone. */
  public void run(Runnable task) {
    if (stopped) {
      late.add(task);
    } else if (!dead) {
      task.run();
    }
  }

  /** Runs a task after everything that happens at this moment. */
  public void soon(Runnable task) {
    scheduler.after(0, () -> run(task));
  }

  public boolean isSlow() {
    return rate < 1;
  }

  public boolean isStopped() {
    return stopped;
  }

  public boolean isDead() {
    return dead;
  }

  /** Nothing happens here until it runs on. */
  public void stop(boolean sleeping) {
    if (sleeping) {
      base = nanoTime();
      asleep = true;
    }
    stopped = true;
  }

  /** Runs on, and does what has come due meanwhile. */
  public void runOn() {
    if (asleep) {
      asleep = false;
      baseAt = scheduler.now();
    }
    stopped = false;
    List<Runnable> due = late;
    late = new ArrayList<>();
    due.forEach(task -> scheduler.after(0, () -> run(task)));
  }

  public void jumpWall(long nanos) {
    wallMicros += nanos / 1_000;
  }

  /** The machine is gone. */
  public void die() {
    dead = true;
    late.clear();
  }

  @Override
  public Executor dedicated() {
    return this::soon;
  }

  @Override
  public void close() {}

  /** One task of the machine. */
  private final class Timer implements Registration {
    private final long due; // by the monotonic clock

    // Mutable state
    private Runnable task;
    private Scheduler.@Nullable Task planned;

    Timer(long due, Runnable task) {
      this.due = due;
      this.task = task;
    }

    void plan() {
      long left = due - nanoTime();
      long nanos = rate == 1 ? left : (long) Math.ceil(left / rate) + 1;
      planned = scheduler.after(nanos, this::come);
    }

    private void come() {
      if (stopped) {
        late.add(this::come);
      } else if (due - nanoTime() > 0) {
        plan(); // the machine has slept
      } else if (!dead) {
        task.run();
      }
    }

    @Override
    public void close() {
      if (planned != null) {
        planned.cancel();
      }
      task = () -> {};
    }
  }
}
