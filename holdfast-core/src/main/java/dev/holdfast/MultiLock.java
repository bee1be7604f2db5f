package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one: all of them or none, within one deadline. They are taken one after the
 * other in the order of their names, which is the same for everybody, so that two clients never
 * wait for each other.
 *
 * <p><b>While it waits for a later name it holds the earlier ones.</b> {@link #startingOver} gives
 * them back instead and starts again.
 *
 * <p>The locks are ordinary ones: others can take them one by one. A thread that holds one of them
 * already must know that the order is kept.
 *
 * <p>Every way to acquire them may also end with {@link LeaseLostException}: one of them was lost
 * before the last was granted. If one of them cannot be acquired, none stays held, whatever its
 * minHold.
 *
 * <p>Thread-safe. Methods that wait throw {@link InterruptedException}.
 */
public interface MultiLock {

  /**
   * @return the names, sorted
   */
  List<String> names();

  /** The options each of them is held with. */
  LockOptions options();

  /**
   * The same locks, taken in another way: while one of them is busy, those taken before it are
   * given back, and it starts again when that one was free. It never holds some of them while it
   * waits, and may be overtaken for as long as others hold one of them.
   */
  MultiLock startingOver();

  /** Waits for all of them, however long. */
  MultiLease acquire() throws InterruptedException;

  /** As {@link #acquire()}, but an interrupt does not end the wait; its status is restored. */
  MultiLease acquireUninterruptibly();

  /**
   * Waits for all of them, at most this long.
   *
   * @throws LockTimeoutException if one stayed busy; the message names its holder
   */
  MultiLease acquire(Duration wait) throws InterruptedException;

  /**
   * Takes all of them if they are free.
   *
   * @return null when one is busy
   */
  @Nullable MultiLease tryAcquire() throws InterruptedException;

  /**
   * Waits for all of them, at most this long.
   *
   * @return null when one stayed busy
   */
  @Nullable MultiLease tryAcquire(Duration wait) throws InterruptedException;

  /** As {@link #acquire()}; cancelling the future gives back what was taken. */
  CompletableFuture<MultiLease> acquireAsync();

  /** As {@link #acquire(Duration)}; cancelling the future gives back what was taken. */
  CompletableFuture<MultiLease> acquireAsync(Duration wait);

  /** As {@link #tryAcquire()}: completes with null when one is busy. */
  CompletableFuture<@Nullable MultiLease> tryAcquireAsync();

  /** As {@link #tryAcquire(Duration)}; cancelling the future gives back what was taken. */
  CompletableFuture<@Nullable MultiLease> tryAcquireAsync(Duration wait);

  /** Acquires all, runs, gives back; see {@link DistributedLock#run(Runnable)}. */
  default void run(Runnable task) throws InterruptedException {
    run(lease -> task.run());
  }

  /** As {@link #run(Runnable)}; the task gets its lease. */
  void run(Consumer<MultiLease> task) throws InterruptedException;

  /** Acquires all, calls, gives back; see {@link DistributedLock#run(Runnable)}. */
  default <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
    return call(lease -> task.call());
  }

  /** As {@link #call(Callable)}; the task gets its lease. */
  <T extends @Nullable Object> T call(MultiLeaseTask<T> task) throws Exception;

  /**
   * Runs the task if all of them are free.
   *
   * @return whether it ran
   */
  default boolean tryRun(Runnable task) throws InterruptedException {
    return tryRun(lease -> task.run());
  }

  /** As {@link #tryRun(Runnable)}; the task gets its lease. */
  boolean tryRun(Consumer<MultiLease> task) throws InterruptedException;

  /** {@return whether the calling thread holds all of them by blocking methods} */
  boolean isHeldByCurrentThread();
}
