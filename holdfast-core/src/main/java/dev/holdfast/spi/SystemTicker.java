package dev.holdfast.spi;

import dev.holdfast.Registration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * Nearly all tasks are time limits of operations that answer long before: scheduled, and taken back
 * a fraction of a millisecond later. An executor's queue would wake its thread for each of them,
 * because each is the earliest that there is. So the tasks are kept here, and the executor has only
 * one look at them planned, at the earliest moment at which one was due when it was planned. That
 * look stays planned when its task is taken back: a task that is due later finds it there and wakes
 * nobody. It comes at most once too early, and then plans the next one.
 */

/** The system's clocks and one daemon thread. */
final class SystemTicker implements Ticker {

  private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

  private static final long UNPLANNED = Long.MAX_VALUE;

  /** Further than any clock of a JVM that runs now will come. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  private final ScheduledThreadPoolExecutor executor;
  private final ConcurrentSkipListSet<Task> tasks = new ConcurrentSkipListSet<>();
  private final AtomicLong scheduled = new AtomicLong();
  private final ReentrantLock mutex = new ReentrantLock();
  private final long origin = System.nanoTime();

  // Mutable state, the plan guarded by mutex
  private volatile long plannedAt = UNPLANNED; // counted from origin
  private @Nullable Future<?> plan;
  private volatile boolean closed;

  SystemTicker(String threadName) {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  // Milliseconds are enough for a floor of tokens and for noticing sleep, and cost half as much.
  @Override
  public long wallMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  @Override
  public Registration schedule(Duration delay, Runnable work) {
    if (closed) {
      return Registration.NONE;
    }
    long due = sinceOrigin() + Math.max(0, Math.min(delay.toNanos(), NEVER));
    Task task = new Task(due, scheduled.incrementAndGet(), work, this);
    tasks.add(task);
    lookBy(due);
    return task;
  }

  @Override
  public void close() {
    closed = true;
    executor.shutdownNow();
    tasks.clear();
  }

  /** How many tasks are to run yet. */
  int pending() {
    return tasks.size();
  }

  /** {@return how often the thread was asked to wake up} */
  long plans() {
    return executor.getTaskCount();
  }

  private long sinceOrigin() {
    return System.nanoTime() - origin;
  }

  private void lookBy(long due) {
    if (due >= plannedAt) {
      return;
    }
    mutex.lock();
    try {
      if (due < plannedAt) {
        if (plan != null) {
          plan.cancel(false);
        }
        plannedAt = UNPLANNED; // in case the executor gets no thread: the next one tries again
        plan = executor.schedule(this::look, due - sinceOrigin(), TimeUnit.NANOSECONDS);
        plannedAt = due;
      }
    } catch (RejectedExecutionException justClosed) {
      tasks.clear();
    } finally {
      mutex.unlock();
    }
  }

  private void look() {
    mutex.lock();
    try {
      plannedAt = UNPLANNED; // what is scheduled from now on plans for itself
    } finally {
      mutex.unlock();
    }
    long now = sinceOrigin();
    for (Task task : tasks) {
      if (task.due > now) {
        lookBy(task.due);
        return;
      }
      if (tasks.remove(task)) {
        runIsolated(task.work);
      }
    }
  }

  // One task that throws must not silence the others that share the thread.
  private static void runIsolated(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "A scheduled task failed", e);
    }
  }

  /** A scheduled task: due time and sequence number. */
  private record Task(long due, long number, Runnable work, SystemTicker ticker)
      implements Registration, Comparable<Task> {

    @Override
    public int compareTo(Task other) {
      return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
    }

    @Override
    public void close() {
      ticker.tasks.remove(this);
    }
  }
}
