package dev.holdfast.testkit.simulation.time;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * True time, and everything that is to happen, in the order of its time. Each machine of a
 * simulation has its {@link MachineClock} on it. Not thread-safe.
 */
public final class Scheduler {

  /** Something that is to happen. */
  public static final class Task {
    private final long at;
    private final long order;
    private @Nullable Runnable action;

    Task(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    /** It is not to happen any more. */
    public void cancel() {
      action = null;
    }

    boolean isBefore(Task other) {
      return at < other.at || (at == other.at && order < other.order);
    }
  }

  // Mutable state: a heap; with a PriorityQueue, comparing tasks was a tenth of all work
  private Task[] heap = new Task[256];
  private int size;
  private long now;
  private long scheduled;

  /** {@return the nanoseconds since the beginning} */
  public long now() {
    return now;
  }

  /** Plans an action for that moment, or for now if it has passed. */
  public Task at(long moment, Runnable action) {
    Task task = new Task(Math.max(now, moment), scheduled++, action);
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int place = size++;
    while (place > 0 && task.isBefore(heap[(place - 1) / 2])) {
      heap[place] = heap[(place - 1) / 2];
      place = (place - 1) / 2;
    }
    heap[place] = task;
    return task;
  }

  /** Plans an action for this many nanoseconds later. */
  public Task after(long nanos, Runnable action) {
    return at(now + nanos, action);
  }

  /** Lets everything happen up to that moment. */
  public void runUntil(long moment) {
    while (size > 0 && heap[0].at <= moment) {
      Task next = first();
      Runnable action = next.action;
      if (action != null) {
        now = next.at;
        action.run();
      }
    }
    now = moment;
  }

  /** Takes the next task out. */
  private Task first() {
    Task first = heap[0];
    Task last = heap[--size];
    int place = 0;
    int child = 1;
    while (child < size) {
      child += child + 1 < size && heap[child + 1].isBefore(heap[child]) ? 1 : 0;
      if (last.isBefore(heap[child])) {
        break;
      }
      heap[place] = heap[child];
      place = child;
      child = 2 * place + 1;
    }
    heap[place] = last;
    return first;
  }
}
