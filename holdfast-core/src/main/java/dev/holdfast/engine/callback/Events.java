package dev.holdfast.engine.callback;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.HoldfastListener;
import dev.holdfast.LockEvent;
import dev.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * Events are published where they happen, those of a lock under its mutex, and so stand in the
 * queue in their order. One thread at a time takes them out and calls the listeners. A publisher
 * flushes after it has released the mutex: that starts such a thread if there is none.
 */

/** Where the engine reports what happened to a client's locks. Thread-safe. */
public final class Events {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** True if there is a listener. */
  public final boolean heard;

  private final List<HoldfastListener> listeners;
  private final Callbacks callbacks;
  private final Ticker ticker;
  private final ReentrantLock mutex = new ReentrantLock();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicBoolean listenerFailed = new AtomicBoolean();

  // Mutable state, guarded by mutex
  private final ArrayDeque<LockEvent> queue = new ArrayDeque<>();
  private boolean running;

  public Events(List<HoldfastListener> listeners, Callbacks callbacks, Ticker ticker) {
    this.listeners = List.copyOf(listeners);
    this.heard = !listeners.isEmpty();
    this.callbacks = callbacks;
    this.ticker = ticker;
  }

  /** {@return the number of events dropped because the listeners were too slow} */
  public long dropped() {
    return dropped.get();
  }

  public void publish(LockEvent event) {
    if (FlightRecord.isOn()) {
      FlightRecord.write(event);
    }
    if (!heard) {
      return;
    }
    mutex.lock();
    try {
      if (queue.size() < HoldfastListener.QUEUE) {
        queue.add(event);
      } else {
        dropped.incrementAndGet();
      }
    } finally {
      mutex.unlock();
    }
  }

  /** Delivers what was published. Must not be called under a lock's mutex. */
  public void flush() {
    if (!heard) {
      return;
    }
    mutex.lock();
    try {
      if (running || queue.isEmpty()) {
        return;
      }
      running = true;
    } finally {
      mutex.unlock();
    }
    callbacks.execute(this::deliver);
  }

  /**
   * A store call has ended.
   *
   * @param lock its name; empty for several
   */
  public void storeCall(String verb, String lock, long since, @Nullable Throwable failure) {
    if (failure != null) {
      String what = lock.isEmpty() ? "several locks" : quote(lock);
      LOG.log(Level.DEBUG, "No answer to the " + verb + " of " + what, failure);
    }
    if (heard || FlightRecord.isOn()) {
      Duration duration = Duration.ofNanos(ticker.nanoTime() - since);
      publish(LockEvent.storeCall(verb, lock, duration, failure));
      flush();
    }
  }

  private void deliver() {
    LockEvent event;
    while ((event = next()) != null) {
      for (HoldfastListener listener : listeners) {
        try {
          listener.happened(event);
        } catch (RuntimeException | Error e) {
          if (listenerFailed.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, "A listener failed; further failures are not logged", e);
          }
        }
      }
    }
  }

  private @Nullable LockEvent next() {
    mutex.lock();
    try {
      LockEvent event = queue.poll();
      running = event != null;
      return event;
    } finally {
      mutex.unlock();
    }
  }
}
