package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that stands still until a test moves it. Its monotonic clock starts shortly before it
 * overflows, so that a comparison which forgets about that shows up.
 */
public final class HandTicker implements Ticker {

  private static final long START = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.<Task>comparingLong(t -> t.at).thenComparing(t -> t.number));
  private long elapsed;
  private long wallAhead;
  private long scheduled;

  private record Task(long at, long number, Runnable action) {}

  @Override
  public long nanoTime() {
    mutex.lock();
    try {
      return START + elapsed;
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public long wallMicros() {
    mutex.lock();
    try {
      return 1_700_000_000_000_000L + (elapsed + wallAhead) / 1_000;
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public Registration schedule(Duration delay, Runnable action) {
    mutex.lock();
    try {
      Task task = new Task(elapsed + Math.max(0, delay.toNanos()), scheduled++, action);
      tasks.add(task);
      return () -> forget(task);
    } finally {
      mutex.unlock();
    }
  }

  private void forget(Task task) {
    mutex.lock();
    try {
      tasks.remove(task);
    } finally {
      mutex.unlock();
    }
  }

  /** Lets time pass, and runs on this thread what falls due, each at its own moment. */
  public void advance(Duration time) {
    long end = now() + time.toNanos();
    Task due;
    while ((due = nextUntil(end)) != null) {
      runIsolated(due.action);
    }
    moveTo(end);
  }

  // As the system's ticker does: one task that throws does not silence the others.
  private static void runIsolated(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      System.getLogger(HandTicker.class.getName()).log(Level.ERROR, "A scheduled task failed", e);
    }
  }

  /** Makes the wall clock jump against the monotonic one, as after sleep or a correction. */
  public void jumpWall(Duration time) {
    mutex.lock();
    try {
      wallAhead += time.toNanos();
    } finally {
      mutex.unlock();
    }
  }

  /** How many tasks wait for their time. */
  public int tasks() {
    mutex.lock();
    try {
      return tasks.size();
    } finally {
      mutex.unlock();
    }
  }

  private long now() {
    mutex.lock();
    try {
      return elapsed;
    } finally {
      mutex.unlock();
    }
  }

  private void moveTo(long moment) {
    mutex.lock();
    try {
      elapsed = Math.max(elapsed, moment);
    } finally {
      mutex.unlock();
    }
  }

  private Task nextUntil(long end) {
    mutex.lock();
    try {
      Task next = tasks.peek();
      if (next == null || next.at > end) {
        return null;
      }
      elapsed = Math.max(elapsed, next.at);
      return tasks.poll();
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public void close() {
    mutex.lock();
    try {
      tasks.clear();
    } finally {
      mutex.unlock();
    }
  }
}
