package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.Kind;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/**
 * An engine on a memory store whose time is moved by hand. Callbacks run where they arise, so that
 * a test of one thread sees every outcome at once.
 */
final class Scene implements AutoCloseable {

  static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(5);
  static final LockOptions OPTIONS = LockOptions.defaults();
  static final LockSpec MUTEX = LockSpec.mutex(OPTIONS);
  static final LockSpec READ = new LockSpec(Kind.READ_WRITE, 1, Kind.UNBOUNDED, OPTIONS);
  static final LockSpec WRITE =
      new LockSpec(Kind.READ_WRITE, Kind.UNBOUNDED, Kind.UNBOUNDED, OPTIONS);

  final HandTicker ticker = new HandTicker();
  final MemorySpace space = new MemorySpace();
  final SilentStore faults = new SilentStore(new MemoryLockStore(space, ticker));
  final CountingStore store;
  final Engine engine;
  final Constructs locks;
  private final List<Engine> others = new ArrayList<>();

  private Scene(UnaryOperator<LockStore> store, Executor executor, HoldfastListener listener) {
    this.store = new CountingStore(store.apply(faults));
    this.engine = engine(this.store, executor, listener, OPERATION_TIMEOUT, LeakReports.SAMPLED);
    this.locks = new Constructs(engine);
  }

  static Scene plain() {
    return new Scene(store -> store, Runnable::run, null);
  }

  static Scene on(UnaryOperator<LockStore> store) {
    return new Scene(store, Runnable::run, null);
  }

  static Scene listenedToBy(HoldfastListener listener) {
    return new Scene(store -> store, Runnable::run, listener);
  }

  static Scene callingBackOn(Executor executor, HoldfastListener listener) {
    return new Scene(store -> store, executor, listener);
  }

  /** Another client of the same space. */
  Engine otherClient() {
    return otherClient(Runnable::run, OPERATION_TIMEOUT);
  }

  /** Another client of the same space that calls back there; on its own threads if null. */
  Engine otherClient(Executor executor, Duration operationTimeout) {
    return otherClient(executor, operationTimeout, LeakReports.SAMPLED);
  }

  /** Another client of the same space that reports leaks so. */
  Engine otherClient(LeakReports reports) {
    return otherClient(Runnable::run, OPERATION_TIMEOUT, reports);
  }

  /** Another client of this store, with its own operation time-out. */
  Engine clientOf(LockStore on, Duration operationTimeout) {
    Engine other = engine(on, Runnable::run, null, operationTimeout, LeakReports.SAMPLED);
    others.add(other);
    return other;
  }

  private Engine otherClient(Executor executor, Duration operationTimeout, LeakReports reports) {
    LockStore own = new MemoryLockStore(space, ticker);
    Engine other = engine(own, executor, null, operationTimeout, reports);
    others.add(other);
    return other;
  }

  private Engine engine(
      LockStore on,
      Executor executor,
      HoldfastListener listener,
      Duration timeout,
      LeakReports reports) {
    List<HoldfastListener> listeners = listener == null ? List.of() : List.of(listener);
    return new Engine(
        new EngineSettings(on, ticker, false, executor, listeners, "", timeout, reports));
  }

  /** No claim is kept idle any longer. */
  void endIdleClaims() {
    ticker.advance(OPTIONS.keepIdle());
  }

  /** Asks for a lock without waiting for the outcome. */
  CompletableFuture<Lease> request(String name, LockSpec spec) {
    return engine.acquireAsync(name, spec, Request.FOR_EVER);
  }

  static LockSpec permits(int weight, int capacity) {
    return new LockSpec(Kind.SEMAPHORE, weight, capacity, OPTIONS);
  }

  void advance(Duration time) {
    ticker.advance(time);
  }

  @Override
  public void close() {
    faults.setAll(SilentStore.Manner.ANSWERS);
    ticker.advance(OPERATION_TIMEOUT); // whatever was never answered is given up on
    engine.close();
    others.forEach(Engine::close);
  }
}
