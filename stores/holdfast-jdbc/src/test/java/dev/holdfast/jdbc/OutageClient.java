package dev.holdfast.jdbc;

import dev.holdfast.DistributedLock;
import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.History;
import dev.holdfast.testkit.History.Attempt;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Takes a lock again and again until the end, and records the answers. A keeper releases it only at
 * the end, and takes it again when it has lost it.
 */
final class OutageClient implements Runnable, AutoCloseable {

  /** How long it waits for the lock before it gives up. */
  static final Duration WAIT = Duration.ofSeconds(2);

  private static final long PAUSE_MILLIS = 20;

  private final String name;
  private final Holdfast locks;
  private final DistributedLock lock;
  private final boolean keeper;
  private final History history;
  private final Fence fence;
  private final CountDownLatch end;

  // Mutable state
  private volatile Lease kept;
  private volatile Throwable failure;
  private volatile long longestNanos;

  OutageClient(
      String name,
      Holdfast locks,
      DistributedLock lock,
      boolean keeper,
      History history,
      Fence fence,
      CountDownLatch end) {
    this.name = name;
    this.locks = locks;
    this.lock = lock;
    this.keeper = keeper;
    this.history = history;
    this.fence = fence;
    this.end = end;
  }

  @Override
  public void run() {
    try {
      do {
        attempt();
      } while (!end.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** What it holds, or held last; null before. */
  Lease kept() {
    return kept;
  }

  /** What it was not prepared for, or null. */
  Throwable failure() {
    return failure;
  }

  /** The longest that it had to wait for an answer. */
  Duration longest() {
    return Duration.ofNanos(longestNanos);
  }

  @Override
  public void close() {
    locks.close();
  }

  @Override
  public String toString() {
    return failure == null ? name : name + " failed: " + failure;
  }

  private void attempt() throws InterruptedException {
    Attempt attempt = history.attempt(name, lock.name());
    long start = System.nanoTime();
    try (Lease lease = lock.acquire(WAIT)) {
      longestNanos = Math.max(longestNanos, System.nanoTime() - start);
      attempt.granted(lease.token());
      use(lease);
      if (lease.isValid()) {
        attempt.released();
      } else {
        attempt.lost();
      }
    } catch (LockTimeoutException busy) {
      attempt.gaveUp();
    } catch (StoreException noAnswer) {
      attempt.unknown();
    }
    longestNanos = Math.max(longestNanos, keeper ? 0 : System.nanoTime() - start);
  }

  private void use(Lease lease) throws InterruptedException {
    try {
      fence.enter(lease.proof());
      kept = lease;
      if (keeper) {
        CountDownLatch over = new CountDownLatch(1);
        lease.onLost(over::countDown);
        while (over.getCount() > 0 && end.getCount() > 0) {
          over.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
      }
      fence.check(lease.proof());
    } catch (StaleTokenException another) {
      if (lease.isValid()) {
        throw another;
      }
    }
  }
}
