package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseTask;
import dev.holdfast.LeasedLock;
import dev.holdfast.LockOptions;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Registration;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A name and what is wanted of it; the state is in a {@link LockShell} while there is any. */
public final class EngineLock implements DistributedLock {

  /** Longer waits would not fit a count of nanoseconds. */
  static final long LONGEST_NANOS = Duration.ofDays(36_500).toNanos();

  private static final Duration LONGEST = Duration.ofNanos(LONGEST_NANOS);

  /** How long to wait for the holder's name when a request has timed out. */
  private static final Duration HOLDER_TIMEOUT = Duration.ofMillis(200);

  private final Engine engine;
  private final String name;
  private final LockSpec spec;

  /** Of this client. */
  public EngineLock(Engine engine, String name, LockSpec spec) {
    this.engine = engine;
    this.name = name;
    this.spec = spec;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LockOptions options() {
    return spec.options;
  }

  // ---------------------------------------------------------------- blocking

  @Override
  public Lease acquire() throws InterruptedException {
    return Objects.requireNonNull(engine.acquire(name, spec, Request.FOR_EVER, true));
  }

  @Override
  public Lease acquireUninterruptibly() {
    try {
      return certain(false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  @Override
  public Lease acquire(Duration wait) throws InterruptedException {
    Lease lease = tryAcquire(wait);
    if (lease == null) {
      throw gaveUp(wait);
    }
    return lease;
  }

  @Override
  public @Nullable Lease tryAcquire() throws InterruptedException {
    return engine.acquire(name, spec, 0, true);
  }

  @Override
  public @Nullable Lease tryAcquire(Duration wait) throws InterruptedException {
    return engine.acquire(name, spec, nanos(wait), true);
  }

  /**
   * Waits for at most this time, and only while these leases are valid.
   *
   * @return null if busy
   */
  public @Nullable EngineLease acquireBeside(
      List<EngineLease> held, long waitNanos, boolean interruptibly) throws InterruptedException {
    PartRequest request = new PartRequest(name, spec, waitNanos);
    Executor own = engine.ownThreads(); // the caller's may be waiting here itself
    List<Registration> whenLost =
        held.stream().map(part -> part.onLost(() -> request.abandon(part.over()), own)).toList();
    try {
      return engine.acquire(request, interruptibly);
    } finally {
      whenLost.forEach(Registration::close);
    }
  }

  private EngineLease certain(boolean interruptibly) throws InterruptedException {
    EngineLease lease = engine.acquire(name, spec, Request.FOR_EVER, interruptibly);
    return Objects.requireNonNull(lease, "a request without limit is never busy");
  }

  /**
   * A wait in nanoseconds.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public static long nanos(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait (" + wait + ") must not be negative");
    }
    return wait.compareTo(LONGEST) < 0 ? wait.toNanos() : LONGEST_NANOS;
  }

  // ---------------------------------------------------------------- with a task

  @Override
  public void run(Consumer<Lease> task) throws InterruptedException {
    EngineLease lease = certain(true);
    new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
  }

  @Override
  public <T extends @Nullable Object> T call(LeaseTask<T> task) throws Exception {
    EngineLease lease = certain(true);
    return new Runner(engine, lease).run(() -> task.run(lease));
  }

  @Override
  public boolean tryRun(Consumer<Lease> task) throws InterruptedException {
    EngineLease lease = engine.acquire(name, spec, 0, true);
    if (lease == null) {
      return false;
    }
    new Runner(engine, lease).run(Executors.callable(() -> task.accept(lease)));
    return true;
  }

  // ---------------------------------------------------------------- without waiting

  @Override
  public CompletableFuture<Lease> acquireAsync() {
    return waited(Request.FOR_EVER, Duration.ZERO);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration wait) {
    return waited(nanos(wait), wait);
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync() {
    return acquireAsync(0);
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait) {
    return acquireAsync(nanos(wait));
  }

  /** Completes with null if it stayed busy for that time. */
  public CompletableFuture<@Nullable Lease> acquireAsync(long waitNanos) {
    return engine.acquireAsync(name, spec, waitNanos);
  }

  /** The future that callers get; completing it from outside cancels the request behind it. */
  private CompletableFuture<Lease> waited(long waitNanos, Duration wait) {
    CompletableFuture<@Nullable Lease> request = engine.acquireAsync(name, spec, waitNanos);
    CompletableFuture<Lease> result = new CompletableFuture<>();
    var unusedToo =
        request.whenComplete(
            (lease, failure) -> {
              if (failure != null) {
                result.completeExceptionally(failure);
              } else if (lease == null) {
                busy(result, wait);
              } else if (!result.complete(lease)) {
                var unusedEnd = ((EngineLease) lease).giveBack();
              }
            });
    var unused =
        result.whenComplete(
            (lease, failure) -> {
              if (!request.isDone()) {
                request.cancel(false);
              }
            });
    return result;
  }

  private void busy(CompletableFuture<Lease> result, Duration wait) {
    var unused =
        holder()
            .thenAcceptAsync(
                holder -> result.completeExceptionally(timeout(wait, holder)),
                engine.context.futures);
  }

  /** The exception for a lock that stayed busy for this time. */
  public LockTimeoutException gaveUp(Duration wait) {
    return timeout(wait, engine.await(holder()));
  }

  /** The holder, for messages; soon, and without waiting for a silent store. */
  private CompletableFuture<String> holder() {
    CompletableFuture<String> text = new CompletableFuture<>();
    engine.context.answers.ask(
        () -> engine.context.store.inspect(name),
        HOLDER_TIMEOUT,
        (info, failure) -> text.complete(Text.holder(info)));
    return text;
  }

  private LockTimeoutException timeout(Duration wait, String holder) {
    return new LockTimeoutException(
        name, "Gave up on '" + name + "' after " + Text.of(wait) + ": " + holder + ".");
  }

  // ---------------------------------------------------------------- views

  @Override
  public boolean isHeldByCurrentThread() {
    Hold hold = engine.heldBy(Thread.currentThread(), name);
    return hold != null
        && hold.spec.kind == spec.kind
        && hold.isEntered(spec.isReading())
        && hold.remaining(engine.now()) > 0;
  }

  @Override
  public LeasedLock asLock() {
    return new LockView(engine, name, spec);
  }
}
