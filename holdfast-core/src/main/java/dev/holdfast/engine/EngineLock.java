package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Registration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A name and what is wanted of it; the state is in the {@link LocalQueue} while there is any. */
final class EngineLock extends GuardedTasks {

  /** Longer waits would not fit a count of nanoseconds. */
  private static final Duration FOREVER = Duration.ofDays(36_500);

  /** How long to wait for the holder's name when a request has timed out. */
  private static final Duration HOLDER_TIMEOUT = Duration.ofMillis(200);

  private final String name;
  private final LockSpec spec;

  EngineLock(Engine engine, String name, LockSpec spec) {
    super(engine);
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

  @Override
  public Lease acquire() throws InterruptedException {
    return certain(lease(engine.acquire(name, spec, null, true)));
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
    return lease(engine.acquire(name, spec, Request.NO_WAIT, true));
  }

  @Override
  public @Nullable Lease tryAcquire(Duration wait) throws InterruptedException {
    return lease(engine.acquire(name, spec, check(wait), true));
  }

  /**
   * Waits at most so long, for ever if null, and only while these leases are valid.
   *
   * @return null if busy
   */
  @Nullable EngineLease acquireBeside(List<EngineLease> held, @Nullable Duration wait)
      throws InterruptedException {
    BlockingRequest request = new BlockingRequest(name, spec, wait);
    List<Registration> whenLost =
        held.stream()
            .map(part -> part.onLost(() -> request.abandon(part.over()), Runnable::run))
            .toList();
    try {
      return lease(engine.acquire(request));
    } finally {
      whenLost.forEach(Registration::close);
    }
  }

  @Override
  public CompletableFuture<Lease> acquireAsync() {
    return waited(null);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration wait) {
    return waited(check(wait));
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync() {
    return engine.acquireAsync(name, spec, Request.NO_WAIT);
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync(Duration wait) {
    return engine.acquireAsync(name, spec, check(wait));
  }

  @Override
  public boolean isHeldByCurrentThread() {
    Hold hold = engine.heldBy(Thread.currentThread(), name);
    return hold != null
        && hold.spec.kind == spec.kind
        && hold.isEntered(spec.isReading())
        && hold.remaining(engine.now()) > 0;
  }

  @Override
  public Lock asLock() {
    return new LockView(engine, name, spec);
  }

  /** The future that callers get; completing it from outside cancels the request behind it. */
  private CompletableFuture<Lease> waited(@Nullable Duration wait) {
    CompletableFuture<@Nullable Lease> request = engine.acquireAsync(name, spec, wait);
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

  private void busy(CompletableFuture<Lease> result, @Nullable Duration wait) {
    Duration waited = wait == null ? Request.NO_WAIT : wait;
    var unused =
        holder()
            .thenAcceptAsync(
                holder -> result.completeExceptionally(timeout(waited, holder)),
                engine.callbacks());
  }

  private @Nullable EngineLease lease(@Nullable Hold hold) {
    return hold == null ? null : new EngineLease(hold, spec);
  }

  /** What to throw when it has stayed busy for so long. */
  LockTimeoutException gaveUp(Duration wait) {
    return timeout(wait, engine.await(holder()));
  }

  private static Lease certain(@Nullable Lease lease) {
    if (lease == null) {
      throw new IllegalStateException("a request without limit is never busy");
    }
    return lease;
  }

  static Duration check(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait (" + wait + ") must not be negative");
    }
    return wait.compareTo(FOREVER) < 0 ? wait : FOREVER;
  }

  /** Who holds the lock, for people; soon, and without waiting for a silent store. */
  private CompletableFuture<String> holder() {
    CompletableFuture<String> text = new CompletableFuture<>();
    engine
        .answers()
        .ask(
            () -> engine.store().inspect(name),
            HOLDER_TIMEOUT,
            (info, failure) -> text.complete(Text.holder(info)));
    return text;
  }

  private LockTimeoutException timeout(Duration wait, String holder) {
    return new LockTimeoutException(
        name, "Gave up on '" + name + "' after " + Text.of(wait) + ": " + holder + ".");
  }
}
