package dev.holdfast.testkit;

import java.time.Duration;
import java.util.Map;

/**
 * Another process that takes a lock: a {@link LockTaker} on the class path of this JVM, so it knows
 * the same stores. Not thread-safe.
 */
public final class LockTakerProcess implements AutoCloseable {

  private final JavaProcess process;

  private LockTakerProcess(JavaProcess process) {
    this.process = process;
  }

  /** Starts a process that acquires this lock at this store, waiting as long as it takes. */
  public static LockTakerProcess start(String url, String lock, Duration ttl) {
    return new LockTakerProcess(
        JavaProcess.start(
            LockTaker.class, Map.of(LockTaker.STORE, url), lock, Long.toString(ttl.toMillis())));
  }

  /** Starts a process that campaigns in this election until it leads. */
  public static LockTakerProcess lead(String url, String election, Duration ttl) {
    return new LockTakerProcess(
        JavaProcess.start(
            LockTaker.class,
            Map.of(LockTaker.STORE, url),
            election,
            Long.toString(ttl.toMillis()),
            LockTaker.LEAD));
  }

  /** Its process id, as owners show it. */
  public long pid() {
    return process.pid();
  }

  /** Waits until it is about to acquire. It may take a moment more until the store knows. */
  public void awaitWaiting() {
    process.await("waiting");
  }

  /** Waits until it holds the lock, and returns its token. */
  public long awaitToken() {
    return Long.parseLong(process.await("token ").substring("token ".length()));
  }

  /** Kills it as {@code kill -9} does, and waits until it is dead. */
  public void kill() {
    process.kill();
  }

  /** Tells it to release the lock, and waits until it has ended. */
  public void release() {
    process.say("");
    process.awaitEnd();
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.close();
  }
}
