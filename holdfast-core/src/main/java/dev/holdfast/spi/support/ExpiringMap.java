package dev.holdfast.spi.support;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A map whose entries expire, bounded in number: when it is full, new entries are dropped. For what
 * a client remembers of its claims, such as tombstones: a missing entry must cost no more than a
 * round trip, or the wait for a ttl. Thread-safe.
 */
public final class ExpiringMap<K, V> {

  private static final int FIRST_SWEEP = 1_024;
  private static final int MAX_SIZE = 1 << 20;

  private final Ticker ticker;
  private final ConcurrentHashMap<K, Expiring<V>> entries = new ConcurrentHashMap<>();
  private final AtomicInteger sweepAt = new AtomicInteger(FIRST_SWEEP);

  /** An empty map on this clock. */
  public ExpiringMap(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Adds an entry, or replaces the one of the same key. */
  public void put(K key, V value, Duration lifetime) {
    int limit = sweepAt.get();
    if (entries.size() >= limit) {
      sweep(limit);
    }
    if (entries.size() < MAX_SIZE) {
      entries.put(key, new Expiring<>(value, ticker.nanoTime() + lifetime.toNanos()));
    }
  }

  /**
   * @return the value, or null if there is none or it has expired
   */
  public @Nullable V get(K key) {
    Expiring<V> entry = entries.get(key);
    return entry == null || entry.until - ticker.nanoTime() <= 0 ? null : entry.value;
  }

  /** Removes an entry if there is one. */
  public void remove(K key) {
    entries.remove(key);
  }

  int size() {
    return entries.size();
  }

  /** Runs when the size has doubled, so its cost per entry stays small. */
  private void sweep(int limit) {
    long now = ticker.nanoTime();
    entries.values().removeIf(entry -> entry.until - now <= 0);
    sweepAt.compareAndSet(limit, Math.max(FIRST_SWEEP, 2 * entries.size()));
  }

  private record Expiring<V>(V value, long until) {}
}
