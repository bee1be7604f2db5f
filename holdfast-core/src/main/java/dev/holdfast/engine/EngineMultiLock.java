package dev.holdfast.engine;

import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLeaseTask;
import dev.holdfast.MultiLock;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several locks as one, taken in the order of their names. Immutable. */
public final class EngineMultiLock implements MultiLock {

  /** One by one: more would take too long to be of use. */
  private static final int MOST = 256;

  private final Engine engine;
  private final List<EngineLock> locks;
  private final LockOptions options;
  private final boolean startsOver;

  /** Of this client. */
  public EngineMultiLock(Engine engine, Collection<String> names, LockOptions options) {
    this(engine, locks(engine, names, options), options, false);
  }

  private EngineMultiLock(
      Engine engine, List<EngineLock> locks, LockOptions options, boolean startsOver) {
    this.engine = engine;
    this.locks = locks;
    this.options = options;
    this.startsOver = startsOver;
  }

  private static List<EngineLock> locks(
      Engine engine, Collection<String> names, LockOptions options) {
    TreeSet<String> sorted = new TreeSet<>(names);
    if (sorted.isEmpty() || sorted.size() > MOST) {
      throw new IllegalArgumentException(
          "one lease covers 1 to " + MOST + " locks, not " + sorted.size());
    }
    LockSpec spec = LockSpec.mutex(options);
    return sorted.stream().map(name -> new EngineLock(engine, name, spec)).toList();
  }

  @Override
  public List<String> names() {
    return locks.stream().map(EngineLock::name).toList();
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public MultiLock startingOver() {
    return new EngineMultiLock(engine, locks, options, true);
  }

  @Override
  public MultiLease acquire() throws InterruptedException {
    return all(true);
  }

  private EngineMultiLease all(boolean interruptibly) throws InterruptedException {
    Countdown countdown = new Countdown(Request.FOR_EVER);
    return Objects.requireNonNull(acquire(countdown, null, interruptibly)); // never busy
  }

  @Override
  public MultiLease acquireUninterruptibly() {
    try {
      return all(false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  @Override
  public MultiLease acquire(Duration wait) throws InterruptedException {
    return Objects.requireNonNull(acquire(new Countdown(EngineLock.nanos(wait)), wait, true));
  }

  @Override
  public @Nullable MultiLease tryAcquire() throws InterruptedException {
    return acquire(new Countdown(0), null, true);
  }

  @Override
  public @Nullable MultiLease tryAcquire(Duration wait) throws InterruptedException {
    return acquire(new Countdown(EngineLock.nanos(wait)), null, true);
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync() {
    return certain(new Countdown(Request.FOR_EVER), Duration.ZERO);
  }

  @Override
  public CompletableFuture<MultiLease> acquireAsync(Duration wait) {
    return certain(new Countdown(EngineLock.nanos(wait)), wait);
  }

  @Override
  public CompletableFuture<@Nullable MultiLease> tryAcquireAsync() {
    return new MultiRequest(engine, locks, new Countdown(0), startsOver, null).start();
  }

  @Override
  public CompletableFuture<@Nullable MultiLease> tryAcquireAsync(Duration wait) {
    Countdown countdown = new Countdown(EngineLock.nanos(wait));
    return new MultiRequest(engine, locks, countdown, startsOver, null).start();
  }

  @SuppressWarnings("NullAway") // with a wait to tell of, it is never busy
  private CompletableFuture<MultiLease> certain(Countdown countdown, Duration wait) {
    return new MultiRequest(engine, locks, countdown, startsOver, wait).start();
  }

  @Override
  public void run(Runnable task) throws InterruptedException {
    run((Consumer<MultiLease>) lease -> task.run());
  }

  @Override
  public void run(Consumer<MultiLease> task) throws InterruptedException {
    EngineMultiLease lease = all(true);
    new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
  }

  @Override
  public <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
    return call((MultiLeaseTask<T>) lease -> task.call());
  }

  @Override
  public <T extends @Nullable Object> T call(MultiLeaseTask<T> task) throws Exception {
    EngineMultiLease lease = all(true);
    return new Runner(engine, lease).run(() -> task.run(lease));
  }

  @Override
  public boolean tryRun(Runnable task) throws InterruptedException {
    return tryRun((Consumer<MultiLease>) lease -> task.run());
  }

  @Override
  public boolean tryRun(Consumer<MultiLease> task) throws InterruptedException {
    EngineMultiLease lease = acquire(new Countdown(0), null, true);
    if (lease == null) {
      return false;
    }
    new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
    return true;
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return locks.stream().allMatch(EngineLock::isHeldByCurrentThread);
  }

  /**
   * All or nothing: whatever goes wrong on the way, those that were taken are given back.
   *
   * @param insists how long the caller wanted to wait, if busy is to be thrown
   */
  private @Nullable EngineMultiLease acquire(
      Countdown countdown, @Nullable Duration insists, boolean interruptibly)
      throws InterruptedException {
    List<EngineLease> held = new ArrayList<>(locks.size());
    boolean whole = false;
    try {
      while (held.size() < locks.size()) {
        EngineLock lock = locks.get(held.size());
        boolean waits = held.isEmpty() || !startsOver;
        EngineLease lease = lock.acquireBeside(held, waits ? countdown.left() : 0, interruptibly);
        if (lease != null) {
          held.add(lease);
        } else if (!waits && countdown.left() > 0) {
          giveBack(held);
          held.clear();
          EngineLease free = lock.acquireBeside(held, countdown.left(), interruptibly);
          if (free != null) {
            Waits.quietly(free.giveBack(), engine.context().operationTimeout());
          }
        } else if (insists != null) {
          throw lock.gaveUp(insists);
        } else {
          return null;
        }
      }
      EngineMultiLease all = new EngineMultiLease(engine, held);
      all.ensure(Duration.ZERO); // one may have been lost in the moment of the last grant
      whole = true;
      return all;
    } finally {
      if (!whole && !held.isEmpty()) {
        giveBack(held);
      }
    }
  }

  private void giveBack(List<EngineLease> held) {
    Waits.quietly(EngineMultiLease.giveBack(held), engine.context().operationTimeout());
  }

  /** One for all of them, not one for each. */
  final class Countdown {
    private final long waitNanos;
    private final long started = engine.context().ticker().nanoTime();

    private Countdown(long waitNanos) {
      this.waitNanos = waitNanos;
    }

    long left() {
      return waitNanos == Request.FOR_EVER
          ? waitNanos
          : Math.max(0, waitNanos - (engine.context().ticker().nanoTime() - started));
    }
  }
}
