package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one. They are taken one after the other in the order of their names, which is
 * the same for everybody: so nobody waits for somebody who waits for him. Immutable.
 */
final class MultiLock extends GuardedTasks {

  /** One by one: more would take too long to be of use. */
  private static final int MOST = 256;

  private final List<EngineLock> locks;
  private final LockOptions options;

  MultiLock(Engine engine, Collection<String> names, LockOptions options) {
    super(engine);
    TreeSet<String> sorted = new TreeSet<>(names);
    if (sorted.isEmpty() || sorted.size() > MOST) {
      throw new IllegalArgumentException(
          "one lease covers 1 to " + MOST + " locks, not " + sorted.size());
    }
    LockSpec spec = LockSpec.mutex(options);
    this.locks = sorted.stream().map(name -> new EngineLock(engine, name, spec)).toList();
    this.options = options;
  }

  @Override
  public String name() {
    return locks.stream().map(EngineLock::name).collect(Collectors.joining(", "));
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Lease acquire() throws InterruptedException {
    return Objects.requireNonNull(
        acquireEach((lock, held) -> lock.acquireBeside(held, null))); // never busy
  }

  @Override
  public Lease acquire(Duration wait) throws InterruptedException {
    Deadline deadline = new Deadline(wait);
    return Objects.requireNonNull(
        acquireEach(
            (lock, held) -> {
              EngineLease lease = lock.acquireBeside(held, deadline.left());
              if (lease == null) {
                throw lock.gaveUp(wait);
              }
              return lease;
            }));
  }

  @Override
  public @Nullable Lease tryAcquire() throws InterruptedException {
    return acquireEach((lock, held) -> lock.acquireBeside(held, Request.NO_WAIT));
  }

  @Override
  public @Nullable Lease tryAcquire(Duration wait) throws InterruptedException {
    Deadline deadline = new Deadline(wait);
    return acquireEach((lock, held) -> lock.acquireBeside(held, deadline.left()));
  }

  @Override
  public CompletableFuture<Lease> acquireAsync() {
    return new MultiRequest<Lease>(engine, locks, EngineLock::acquireAsync).start();
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration wait) {
    Deadline deadline = new Deadline(wait);
    return new MultiRequest<Lease>(engine, locks, lock -> lock.acquireAsync(deadline.left()))
        .start();
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync() {
    return new MultiRequest<@Nullable Lease>(engine, locks, EngineLock::tryAcquireAsync).start();
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait) {
    Deadline deadline = new Deadline(wait);
    return new MultiRequest<@Nullable Lease>(
            engine, locks, lock -> lock.tryAcquireAsync(deadline.left()))
        .start();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return locks.stream().allMatch(EngineLock::isHeldByCurrentThread);
  }

  @Override
  public Lock asLock() {
    throw new UnsupportedOperationException(
        "several locks have no view as one java.util.concurrent lock; use acquire and close");
  }

  /** All or nothing: whatever goes wrong on the way, those that were taken are given back. */
  private @Nullable Lease acquireEach(Attempt attempt) throws InterruptedException {
    List<EngineLease> held = new ArrayList<>(locks.size());
    boolean whole = false;
    try {
      for (EngineLock lock : locks) {
        EngineLease lease = attempt.on(lock, held);
        if (lease == null) {
          return null;
        }
        held.add(lease);
      }
      MultiLease all = new MultiLease(engine, held);
      all.ensure(Duration.ZERO); // one may have been lost in the moment of the last grant
      whole = true;
      return all;
    } finally {
      if (!whole && !held.isEmpty()) {
        Waits.quietly(MultiLease.giveBack(held), engine.operationTimeout());
      }
    }
  }

  @FunctionalInterface
  private interface Attempt {
    @Nullable EngineLease on(EngineLock lock, List<EngineLease> held) throws InterruptedException;
  }

  /** One for all of them, not one for each. */
  private final class Deadline {
    private final Duration wait;
    private final long started = engine.ticker().nanoTime();

    Deadline(Duration wait) {
      this.wait = EngineLock.check(wait);
    }

    Duration left() {
      Duration left = wait.minusNanos(engine.ticker().nanoTime() - started);
      return left.isNegative() ? Duration.ZERO : left;
    }
  }
}
