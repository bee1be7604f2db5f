package dev.holdfast.engine;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock at which one thread can be stopped: a chosen reading of it does something else first. So
 * a test can try another thread's step at every reading, without knowing what reads it.
 */
final class StopTicker implements Ticker {

  private record Stop(Thread thread, int readings, Runnable action) {}

  private final Ticker inner;
  private final AtomicReference<Stop> next = new AtomicReference<>();

  StopTicker(Ticker inner) {
    this.inner = inner;
  }

  /** The calling thread does this within its n-th reading from now on. */
  void stopAt(int reading, Runnable action) {
    next.set(new Stop(Thread.currentThread(), reading, action));
  }

  /**
   * Takes a stop back.
   *
   * @return false if the thread has come to it
   */
  boolean forget() {
    return next.getAndSet(null) != null;
  }

  @Override
  public long nanoTime() {
    Stop stop = next.get();
    if (stop != null && stop.thread() == Thread.currentThread()) {
      boolean now = stop.readings() == 1;
      next.set(now ? null : new Stop(stop.thread(), stop.readings() - 1, stop.action()));
      if (now) {
        stop.action().run();
      }
    }
    return inner.nanoTime();
  }

  @Override
  public long wallMicros() {
    return inner.wallMicros();
  }

  @Override
  public Registration schedule(Duration delay, Runnable action) {
    return inner.schedule(delay, action);
  }

  @Override
  public void close() {
    inner.close();
  }
}
