package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.state.LockSpec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The permits of one name: as many locks of it as there are weights. */
public final class EngineSemaphore implements DistributedSemaphore {

  private final Engine engine;
  private final String name;
  private final int permits;
  private final LockOptions options;
  private final DistributedLock one;

  /** Of this client. */
  public EngineSemaphore(Engine engine, String name, int permits, LockOptions options) {
    if (permits < 1) {
      throw new IllegalArgumentException(
          "semaphore " + quote(name) + " needs at least one permit, not " + permits);
    }
    this.engine = engine;
    this.name = name;
    this.permits = permits;
    this.options = options;
    this.one = new EngineLock(engine, name, LockSpec.permits(1, permits, options));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int permits() {
    return permits;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Lease acquireUninterruptibly(int wanted) {
    return permits(wanted).acquireUninterruptibly();
  }

  @Override
  public Lease acquire(int wanted) throws InterruptedException {
    return permits(wanted).acquire();
  }

  @Override
  public Lease acquire(int wanted, Duration wait) throws InterruptedException {
    return permits(wanted).acquire(wait);
  }

  @Override
  public @Nullable Lease tryAcquire(int wanted) throws InterruptedException {
    return permits(wanted).tryAcquire();
  }

  @Override
  public @Nullable Lease tryAcquire(int wanted, Duration wait) throws InterruptedException {
    return permits(wanted).tryAcquire(wait);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(int wanted) {
    return permits(wanted).acquireAsync();
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(int wanted, Duration wait) {
    return permits(wanted).acquireAsync(wait);
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync(int wanted) {
    return permits(wanted).tryAcquireAsync();
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryAcquireAsync(int wanted, Duration wait) {
    return permits(wanted).tryAcquireAsync(wait);
  }

  private DistributedLock permits(int wanted) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException(
          "semaphore " + quote(name) + " has " + permits + " permits; it cannot give " + wanted);
    }
    return wanted == 1
        ? one
        : new EngineLock(engine, name, LockSpec.permits(wanted, permits, options));
  }
}
