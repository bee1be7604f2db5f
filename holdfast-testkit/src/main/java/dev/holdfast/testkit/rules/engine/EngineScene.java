package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.FaultyStore;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.StoreFixture;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one test of the engine works with: clients of one store, threads, and time. Where the
 * fixture drives the store's clock, the clients run on the same ticker.
 */
public final class EngineScene implements AutoCloseable {

  /**
   * How long clients wait for one answer where answers are lost, or time is driven, unless they are
   * made with other settings.
   */
  public static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(2);

  /** The same for a healthy store on real time: a busy machine may be slow. */
  private static final Duration PATIENT = Duration.ofSeconds(20);

  private static final Duration BRIEF = Duration.ofMillis(800);
  private static final Duration LASTING = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(10);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final long BREATH_NANOS = 500_000;

  private final StoreFixture fixture;
  private final @Nullable ManualTicker driven;
  private final Ticker ticker;
  private final Traits traits;
  private final String unique = UUID.randomUUID().toString().substring(0, 8);
  private final AtomicInteger numbers = new AtomicInteger();
  private final List<Holdfast> clients = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** On a fixture that is closed with the scene. */
  public EngineScene(StoreFixture fixture) {
    this.fixture = fixture;
    this.driven = fixture.ticker().orElse(null);
    this.ticker = driven != null ? driven : Ticker.system("kit-timer");
    try (LockStore store = fixture.open()) {
      this.traits = store.traits();
    }
  }

  /** What the store claims. */
  public Traits traits() {
    return traits;
  }

  /** The fixture. */
  public StoreFixture fixture() {
    return fixture;
  }

  /** One more client, closed with the scene. */
  public Holdfast client() {
    return client(builder -> {});
  }

  /** One more client with other settings. */
  public Holdfast client(Consumer<Holdfast.Builder> settings) {
    return client(fixture.open(), driven == null ? PATIENT : OPERATION_TIMEOUT, settings);
  }

  /** One more client behind a bad network that is good at first. */
  public FaultyClient faulty() {
    return faulty(builder -> {});
  }

  /** One more client behind a bad network, with other settings. */
  public FaultyClient faulty(Consumer<Holdfast.Builder> settings) {
    FaultyStore store = new FaultyStore(fixture.open(), ticker, Faults.none(), 1);
    return new FaultyClient(client(store, OPERATION_TIMEOUT, settings), store);
  }

  /**
   * A client and the network before it.
   *
   * @param locks the client
   * @param store its store, whose faults can be changed
   */
  public record FaultyClient(Holdfast locks, FaultyStore store) {}

  private Holdfast client(LockStore store, Duration timeout, Consumer<Holdfast.Builder> settings) {
    Holdfast.Builder builder =
        Holdfast.builder()
            .store(store)
            .clientName("client-" + numbers.incrementAndGet())
            .defaults(lasting())
            .operationTimeout(timeout);
    if (driven != null) {
      builder.ticker(driven);
    }
    settings.accept(builder);
    Holdfast client = builder.build();
    clients.add(client);
    return client;
  }

  /** A lock name that no other test uses. */
  public String name() {
    return "kit/" + unique + "/" + numbers.incrementAndGet();
  }

  /** Options of leases that are meant to be lost soon when the store is silent. */
  public LockOptions brief() {
    return LockOptions.defaults()
        .ttl(BRIEF.compareTo(traits.minTtl()) > 0 ? BRIEF : traits.minTtl());
  }

  /** Options of leases that outlive the test. */
  public LockOptions lasting() {
    Duration most = LASTING.compareTo(traits.maxTtl()) < 0 ? LASTING : traits.maxTtl();
    return LockOptions.defaults().ttl(most.compareTo(traits.minTtl()) > 0 ? most : traits.minTtl());
  }

  /** Returns whether the test moves time. */
  public boolean drivesClock() {
    return driven != null;
  }

  /** The clock of the clients. */
  public long nanoTime() {
    return ticker.nanoTime();
  }

  /** Runs a task in a new thread, which is interrupted at the end of the test. */
  public <T> Task<T> inThread(Callable<T> action) {
    Task<T> task = new Task<>(action);
    threads.add(task.thread);
    task.thread.start();
    return task;
  }

  /** What a thread does, and what came of it. */
  public static final class Task<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Task(Callable<T> action) {
      thread =
          new Thread(
              () -> {
                try {
                  result.complete(action.call());
                } catch (Throwable e) {
                  result.completeExceptionally(e);
                }
              },
              "kit-thread");
      thread.setDaemon(true);
    }

    /** Its thread. */
    public Thread thread() {
      return thread;
    }

    /** Returns whether it has ended. */
    public boolean isDone() {
      return result.isDone();
    }

    /** What comes of it. */
    public CompletableFuture<T> result() {
      return result;
    }
  }

  /** The result of something that needs no time to pass. */
  public <T> T result(CompletableFuture<T> future) {
    soon("the result is there", future::isDone);
    return join(future);
  }

  /** The result of something that time must bring. */
  public <T> T resultInTime(CompletableFuture<T> future) {
    eventually("the result is there", future::isDone);
    return join(future);
  }

  /** The failure of something that time must bring. */
  public Throwable failureInTime(CompletableFuture<?> future) {
    eventually("the result is there", future::isDone);
    try {
      future.join();
    } catch (CompletionException e) {
      return e.getCause() != null ? e.getCause() : e;
    } catch (RuntimeException e) {
      return e;
    }
    throw new AssertionError("expected a failure, not " + future.join());
  }

  /** Waits for a condition that holds as soon as other threads have run: no time must pass. */
  public void soon(String what, BooleanSupplier condition) {
    waitFor(what, condition, false);
  }

  /** Waits for a condition that the passing of time brings. */
  public void eventually(String what, BooleanSupplier condition) {
    waitFor(what, condition, true);
  }

  /**
   * How long it takes until a condition holds that asks the store. Where a real clock runs, each
   * look is due soon after the last one: what it takes longer is the machine's and not counted.
   */
  public Duration timeUntil(String what, BooleanSupplier condition) {
    AtomicLong start = new AtomicLong(nanoTime());
    AtomicLong last = new AtomicLong(start.get());
    eventually(
        what,
        () -> {
          boolean holds = condition.getAsBoolean();
          long now = nanoTime();
          long stalled = now - last.getAndSet(now) - LOOK.toNanos();
          start.addAndGet(driven == null ? Math.max(0, stalled) : 0);
          return holds;
        });
    return Duration.ofNanos(last.get() - start.get());
  }

  /** Lets time pass. */
  public void pass(Duration time) {
    long start = nanoTime();
    eventually("time passes", () -> nanoTime() - start >= time.toNanos());
  }

  private void waitFor(String what, BooleanSupplier condition, boolean timePasses) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        fail("%s: not within %s. The threads:\n%s", what, PATIENCE, Threads.dump());
      }
      LockSupport.parkNanos(BREATH_NANOS);
      if (timePasses && driven != null) {
        driven.advance(STEP);
      }
    }
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw new AssertionError("failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    clients.forEach(Holdfast::close);
    if (driven == null) {
      ticker.close();
    }
    try {
      fixture.close();
    } catch (Exception e) {
      throw new IllegalStateException("the fixture did not close", e);
    }
  }
}
