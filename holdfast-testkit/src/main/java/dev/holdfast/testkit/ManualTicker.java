package dev.holdfast.testkit;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test moves it.
 *
 * <p><b>Promises.</b> Tasks run on the thread that advances, in the order in which they are due,
 * those due at the same moment in the order in which they were scheduled; the clock shows each task
 * the moment it was due. The wall clock goes along with the monotonic clock unless it is made to
 * {@linkplain #jumpWall jump}. Nothing else moves either, so the same calls give the same run.
 *
 * <p>A task that throws does not keep the others from running; its failure is thrown to the caller
 * that advances the clock, once all due tasks have run.
 *
 * <p><b>Threads.</b> Safe for any. One thread advances at a time; a task must not advance.
 */
public final class ManualTicker implements Ticker {

  private static final long START_WALL_MICROS = 1_800_000_000_000_000L; // early in 2027

  // The clock starts shortly before it overflows: code that compares two readings with < instead of
  // by
  // their difference fails within the first minute of any test.
  private static final long START_NANOS = Long.MAX_VALUE - Duration.ofSeconds(40).toNanos();

  private final ReentrantLock advancing = new ReentrantLock();
  private final Object mutex = new Object();

  // Mutable state, guarded by mutex
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long elapsed;
  private long wallAhead;
  private long scheduled;

  /** At a fixed start, the same for every ticker. */
  public ManualTicker() {}

  @Override
  public long nanoTime() {
    synchronized (mutex) {
      return START_NANOS + elapsed;
    }
  }

  @Override
  public long wallMicros() {
    synchronized (mutex) {
      return START_WALL_MICROS + elapsed / 1_000 + wallAhead;
    }
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    synchronized (mutex) {
      Task entry = new Task(elapsed + Math.max(0, delay.toNanos()), scheduled++, task);
      tasks.add(entry);
      return () -> remove(entry);
    }
  }

  /** Moves both clocks ahead and runs every task that comes due on the way. */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("time does not go back (" + by + "); see jumpWall");
    }
    run(elapsed() + by.toNanos(), Long.MAX_VALUE);
  }

  /**
   * Moves both clocks to the moment at which the next task is due, and runs that one task.
   *
   * @return whether there was one
   */
  public boolean advanceToNext() {
    return run(Long.MAX_VALUE, 1) == 1;
  }

  /** Moves the wall clock alone, ahead or back, as an operator or a machine's sleep does. */
  public void jumpWall(Duration by) {
    synchronized (mutex) {
      wallAhead += by.toNanos() / 1_000;
    }
  }

  /** How much time has passed since this ticker was made, by the monotonic clock. */
  public Duration sinceStart() {
    return Duration.ofNanos(elapsed());
  }

  /** How many tasks are waiting to come due. */
  public int pending() {
    synchronized (mutex) {
      return tasks.size();
    }
  }

  /** Forgets all tasks. The clock can still be moved. */
  @Override
  public void close() {
    synchronized (mutex) {
      tasks.clear();
    }
  }

  private int run(long until, long atMost) {
    if (advancing.isHeldByCurrentThread()) {
      throw new IllegalStateException("a task must not advance the clock that runs it");
    }
    advancing.lock();
    try {
      int count = 0;
      Throwable failure = null;
      for (Task task = next(until); task != null; task = next(until)) {
        failure = runOne(task, failure);
        if (++count == atMost) {
          break;
        }
      }
      if (atMost == Long.MAX_VALUE) {
        moveTo(until);
      }
      rethrow(failure);
      return count;
    } finally {
      advancing.unlock();
    }
  }

  private @Nullable Task next(long until) {
    synchronized (mutex) {
      Task head = tasks.peek();
      if (head == null || head.due > until) {
        return null;
      }
      tasks.remove();
      elapsed = Math.max(elapsed, head.due);
      return head;
    }
  }

  private static @Nullable Throwable runOne(Task task, @Nullable Throwable earlier) {
    try {
      task.action.run();
      return earlier;
    } catch (RuntimeException | Error e) {
      if (earlier == null) {
        return e;
      }
      earlier.addSuppressed(e);
      return earlier;
    }
  }

  private static void rethrow(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  private void moveTo(long until) {
    synchronized (mutex) {
      elapsed = Math.max(elapsed, until);
    }
  }

  private long elapsed() {
    synchronized (mutex) {
      return elapsed;
    }
  }

  private void remove(Task task) {
    synchronized (mutex) {
      tasks.remove(task);
    }
  }

  private static final class Task implements Comparable<Task> {
    final long due;
    final long order;
    final Runnable action;

    Task(long due, long order, Runnable action) {
      this.due = due;
      this.order = order;
      this.action = action;
    }

    @Override
    public int compareTo(Task other) {
      return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
    }
  }
}
