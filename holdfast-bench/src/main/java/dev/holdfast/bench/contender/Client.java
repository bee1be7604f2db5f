package dev.holdfast.bench.contender;

/**
 * One client of a server: what a process has once. Thread-safe.
 *
 * <p>Each workload makes the locks it needs and keeps them, as an application would.
 */
public interface Client extends AutoCloseable {

  /** The exclusive lock of this name. */
  Mutex mutex(String name);

  /** The shared side of the read-write lock of this name. */
  default Mutex readLock(String name) {
    throw new UnsupportedOperationException("no read-write lock");
  }

  /** Its exclusive side. */
  default Mutex writeLock(String name) {
    throw new UnsupportedOperationException("no read-write lock");
  }

  @Override
  void close() throws Exception;
}
