package dev.holdfast.etcd;

import dev.holdfast.Registration;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The system's time, which a test can make jump ahead, or stand still. What is scheduled comes as
 * if it did neither.
 */
final class HurriedTicker implements Ticker {

  private final Ticker system = Ticker.system("hurried-ticker");
  private final AtomicLong ahead = new AtomicLong();
  private final AtomicLong slept = new AtomicLong();
  private volatile @Nullable Long stopped;

  void jump(Duration time) {
    ahead.addAndGet(time.toNanos());
  }

  /** As if the machine had slept: the monotonic clock has not moved. */
  void sleep(Duration time) {
    slept.addAndGet(time.toNanos() / 1_000);
  }

  void stop() {
    stopped = nanoTime();
  }

  @Override
  public long nanoTime() {
    Long last = stopped;
    return last == null ? system.nanoTime() + ahead.get() : last;
  }

  @Override
  public long wallMicros() {
    return system.wallMicros() + slept.get();
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    return system.schedule(delay, task);
  }

  @Override
  public void close() {
    system.close();
  }
}
