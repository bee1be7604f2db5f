package dev.holdfast.multi;

import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLeaseTask;
import dev.holdfast.MultiLock;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLock;
import dev.holdfast.engine.Runner;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several locks as one, taken in the order of their names. Immutable. */
public final class OrderedLocks implements MultiLock {

  /** One by one: more would take too long to be of use. */
  private static final int MOST = 256;

  private final Engine engine;
  private final List<String> names;
  private final LockOptions options;
  private final boolean startsOver;

  /** Of this client. */
  public OrderedLocks(Engine engine, Collection<String> names, LockOptions options) {
    this(engine, names.stream().sorted().distinct().toList(), options, false);
    if (this.names.isEmpty() || this.names.size() > MOST) {
      throw new IllegalArgumentException(
          "one lease covers 1 to " + MOST + " locks, not " + this.names.size());
    }
  }

  private OrderedLocks(Engine engine, List<String> names, LockOptions options, boolean startsOver) {
    this.engine = engine;
    this.names = names;
    this.options = options;
    this.startsOver = startsOver;
  }

  @Override
  public List<String> names() {
    return names;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public MultiLock startingOver() {
    return new OrderedLocks(engine, names, options, true);
  }

  private List<EngineLock> locks(LockOptions held) {
    LockSpec spec = LockSpec.mutex(held.keepIdle(Duration.ZERO));
    return names.stream().map(name -> new EngineLock(engine, name, spec)).toList();
  }

  // ---------------------------------------------------------------- blocking

  @Override
  public MultiLease acquire() throws InterruptedException {
    return all(true);
  }

  @Override
  public MultiLease acquireUninterruptibly() {
    try {
      return all(false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  private JointLease all(boolean interruptibly) throws InterruptedException {
    return Objects.requireNonNull(acquire(Request.FOR_EVER, null, interruptibly)); // never busy
  }

  @Override
  public MultiLease acquire(Duration wait) throws InterruptedException {
    return Objects.requireNonNull(acquire(EngineLock.nanos(wait), wait, true));
  }

  @Override
  public @Nullable MultiLease tryAcquire() throws InterruptedException {
    return acquire(0, null, true);
  }

  @Override
  public @Nullable MultiLease tryAcquire(Duration wait) throws InterruptedException {
    return acquire(EngineLock.nanos(wait), null, true);
  }

  private @Nullable JointLease acquire(
      long waitNanos, @Nullable Duration insists, boolean interruptibly)
      throws InterruptedException {
    // Their minHold counts once all are held: one of them may be a re-entry, and if we fail before
    // that, the hold that was there must not stay any longer.
    List<EngineLock> locks = locks(options.minHold(Duration.ZERO));
    return new JointRequest(engine, locks, startsOver, waitNanos, insists)
        .await(interruptibly, options.minHold());
  }

  // ---------------------------------------------------------------- without waiting

  @Override
  @SuppressWarnings("NullAway") // it insists: never busy
  public CompletableFuture<MultiLease> acquireAsync() {
    return request(Request.FOR_EVER, Duration.ZERO);
  }

  @Override
  @SuppressWarnings("NullAway") // it insists: never busy
  public CompletableFuture<MultiLease> acquireAsync(Duration wait) {
    return request(EngineLock.nanos(wait), wait);
  }

  @Override
  public CompletableFuture<@Nullable MultiLease> tryAcquireAsync() {
    return request(0, null);
  }

  @Override
  public CompletableFuture<@Nullable MultiLease> tryAcquireAsync(Duration wait) {
    return request(EngineLock.nanos(wait), null);
  }

  private CompletableFuture<@Nullable MultiLease> request(
      long waitNanos, @Nullable Duration insists) {
    // Never a re-entry: a minHold that nobody has seen is forgotten.
    return new JointRequest(engine, locks(options), startsOver, waitNanos, insists).start();
  }

  // ---------------------------------------------------------------- with a task

  @Override
  public void run(Consumer<MultiLease> task) throws InterruptedException {
    JointLease lease = all(true);
    new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
  }

  @Override
  public <T extends @Nullable Object> T call(MultiLeaseTask<T> task) throws Exception {
    JointLease lease = all(true);
    return new Runner(engine, lease).run(() -> task.run(lease));
  }

  @Override
  public boolean tryRun(Consumer<MultiLease> task) throws InterruptedException {
    JointLease lease = acquire(0, null, true);
    if (lease != null) {
      new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
    }
    return lease != null;
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return locks(options).stream().allMatch(EngineLock::isHeldByCurrentThread);
  }
}
