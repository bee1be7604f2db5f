package dev.holdfast.spi;

import dev.holdfast.Diagnosis;
import dev.holdfast.LockName;
import dev.holdfast.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A system that has no more than compare-and-set: values under keys, each with a version and a ttl.
 * {@link dev.holdfast.register.RegisterLockStore} makes a {@link LockStore} of it, so that two
 * methods are enough to bring a store of one's own.
 *
 * <p><b>Versions.</b> Every write gives the key a version greater than all it ever had: over
 * changes, deletion, expiry, eviction and restart. Versions of different keys need not be
 * comparable. The fencing token is made of the version, so one that went back would let an old
 * holder pass a fence.
 *
 * <p><b>Yes, no and unknown.</b> A stage that completes exceptionally, preferably with {@link
 * StoreException}, means that nobody knows whether the step took effect. Never answer a conflict
 * for that.
 *
 * <p><b>Threads.</b> All methods may be called by any thread and must not block it beyond handing
 * the work over. Stages may complete on any thread.
 *
 * <p><b>Text.</b> {@code toString()} is the address people know the system by, without secrets.
 */
public interface Register extends AutoCloseable {

  /** In place of a version: nothing is there. */
  long ABSENT = 0;

  /** The entry under the key, or nothing. Never older than what a completed write has left. */
  CompletionStage<Optional<Entry>> read(String key);

  /**
   * Writes or deletes what is under the key, if it still has the expected version.
   *
   * <p><b>Atomic.</b> The comparison and the change are one step. An entry whose ttl has ended is
   * absent, and is never revived.
   *
   * <p><b>Not repeatable,</b> and not to be repeated by the register itself: a write whose answer
   * was lost has moved the version, so the second one would report a conflict with the first. The
   * caller reads and decides.
   *
   * @param key any text that is a lock's name ({@link LockName})
   * @param expected the version last seen, or {@link #ABSENT}
   * @param value what to write; null deletes
   * @param ttl how long the value lives without another write, by the register's clock; rounded up,
   *     never down; without meaning for a deletion
   * @return the version that is there now, {@link #ABSENT} after a deletion; or nothing if the key
   *     had another version than expected: then nothing has changed
   */
  CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl);

  /** How people find what is under the key, for messages. */
  default String place(String key) {
    return "key " + key;
  }

  /** See {@link LockStore#diagnose}. */
  default CompletionStage<Diagnosis> diagnose() {
    return CompletableFuture.completedFuture(Diagnosis.empty());
  }

  /** Gives back connections and threads. Entries stay. */
  @Override
  void close();

  /**
   * What is under a key.
   *
   * @param value what was written
   * @param version that of the last write
   * @param remaining how long it still lives, by the register's clock
   */
  record Entry(String value, long version, Duration remaining) {}
}
