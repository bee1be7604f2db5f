package dev.holdfast.bench.contender;

/** A lock as every library has one. Thread-safe. */
public interface Mutex {

  /** Waits for the lock, however long. The same thread releases it. */
  Hold acquire() throws Exception;

  /** A lock that is held. */
  interface Hold {

    /** Gives it back. */
    void release() throws Exception;

    /** Its token; 0 where there is none. */
    default long token() {
      return 0;
    }
  }
}
