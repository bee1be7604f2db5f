package dev.holdfast.register;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of claims for a while, bounded in time and number. Nothing may depend on being
 * remembered: what is forgotten costs a round trip, or the wait for a ttl. Any threads.
 */
final class ShortMemory<V> {

  private static final int FEW = 1_024;
  private static final int MOST = 1 << 20;

  private final Ticker ticker;
  private final ConcurrentHashMap<String, Timed<V>> entries = new ConcurrentHashMap<>();
  private final AtomicInteger sweepAt = new AtomicInteger(FEW);

  ShortMemory(Ticker ticker) {
    this.ticker = ticker;
  }

  void put(String id, V value, Duration howLong) {
    int limit = sweepAt.get();
    if (entries.size() >= limit) {
      sweep(limit);
    }
    if (entries.size() < MOST) {
      entries.put(id, new Timed<>(value, ticker.nanoTime() + howLong.toNanos()));
    }
  }

  @Nullable V get(String id) {
    Timed<V> entry = entries.get(id);
    return entry == null || entry.until - ticker.nanoTime() <= 0 ? null : entry.value;
  }

  void remove(String id) {
    entries.remove(id);
  }

  int size() {
    return entries.size();
  }

  /** Each time the number has doubled: so that it costs little for each entry. */
  private void sweep(int limit) {
    long now = ticker.nanoTime();
    entries.values().removeIf(entry -> entry.until - now <= 0);
    sweepAt.compareAndSet(limit, Math.max(FEW, 2 * entries.size()));
  }

  private record Timed<V>(V value, long until) {}
}
