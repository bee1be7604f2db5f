package dev.holdfast.memory;

import dev.holdfast.spi.Register;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A register in memory: an example for other registers, and what {@link
 * dev.holdfast.register.RegisterLockStore} is tested on. Clients of one instance exclude each
 * other; every answer is complete when the call returns. An expired entry takes room until its key
 * is written again. Thread-safe.
 */
public final class MemoryRegister implements Register {

  private final Ticker ticker;
  private final AtomicLong versions;
  private final ConcurrentHashMap<String, Value> entries = new ConcurrentHashMap<>();

  /** An empty one. Its versions rise over a restart as long as the wall clock does. */
  public MemoryRegister(Ticker ticker) {
    this.ticker = ticker;
    this.versions = new AtomicLong(ticker.wallMicros());
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    long now = ticker.nanoTime();
    return CompletableFuture.completedFuture(
        Optional.ofNullable(entries.get(key))
            .filter(stored -> stored.lives(now))
            .map(stored -> stored.entry(now)));
  }

  @Override
  public CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl) {
    OptionalLong[] answer = {OptionalLong.empty()};
    entries.compute(
        key,
        (name, stored) -> {
          long now = ticker.nanoTime();
          Value living = stored != null && stored.lives(now) ? stored : null;
          if ((living == null ? ABSENT : living.version) != expected) {
            return living;
          }
          long version = value == null ? ABSENT : versions.incrementAndGet();
          answer[0] = OptionalLong.of(version);
          return value == null ? null : new Value(value, version, now + ttl.toNanos());
        });
    return CompletableFuture.completedFuture(answer[0]);
  }

  /** Drops an entry, as a cache does that needs the room. */
  public void evict(String key) {
    entries.remove(key);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "memory register";
  }

  private record Value(String value, long version, long until) {
    boolean lives(long now) {
      return until - now > 0;
    }

    Entry entry(long now) {
      return new Entry(value, version, Duration.ofNanos(until - now));
    }
  }
}
