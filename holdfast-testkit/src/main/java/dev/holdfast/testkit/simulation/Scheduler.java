package dev.holdfast.testkit.simulation;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * True time, and everything that is to happen, in the order of its time. Each machine of a
 * simulation has its {@link MachineClock} on it. Not thread-safe.
 */
final class Scheduler {

  /** Something that is to happen. */
  static final class Task implements Comparable<Task> {
    private final long at;
    private final long order;
    private @Nullable Runnable action;

    Task(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    /** It is not to happen any more. */
    void cancel() {
      action = null;
    }

    @Override
    public int compareTo(Task other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>(256);

  // Mutable state
  private long now;
  private long scheduled;

  /** {@return the nanoseconds since the beginning} */
  long now() {
    return now;
  }

  Task at(long moment, Runnable action) {
    Task task = new Task(Math.max(now, moment), scheduled++, action);
    tasks.add(task);
    return task;
  }

  Task after(long nanos, Runnable action) {
    return at(now + nanos, action);
  }

  /** Lets everything happen up to that moment. */
  void runUntil(long moment) {
    for (Task next = tasks.peek(); next != null && next.at <= moment; next = tasks.peek()) {
      tasks.remove();
      Runnable action = next.action;
      if (action != null) {
        now = next.at;
        action.run();
      }
    }
    now = moment;
  }
}
