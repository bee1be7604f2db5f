package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Proof;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one client consists of: a store, the time, one {@link LocalQueue} per name in use, the
 * {@link Keeper} of all claims and the {@link Departures} of those that end.
 *
 * <p>Any threads.
 */
public final class Engine implements AutoCloseable {

  private final LockStore store;
  private final Ticker ticker;
  private final boolean ownsTicker;
  private final Callbacks callbacks;
  private final Events events;
  private final Answers answers;
  private final Keeper keeper;
  private final Departures departures;
  private final Duration operationTimeout;
  private final Owners owners;
  private final ClaimIds ids = new ClaimIds();
  private final ConcurrentHashMap<String, LocalQueue> queues = new ConcurrentHashMap<>();
  private final AtomicLong floor = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** For {@link dev.holdfast.Holdfast.Builder}. */
  public Engine(
      LockStore store,
      Ticker ticker,
      boolean ownsTicker,
      @Nullable Executor executor,
      @Nullable HoldfastListener listener,
      String clientName,
      Duration operationTimeout) {
    this.store = store;
    this.ticker = ticker;
    this.ownsTicker = ownsTicker;
    this.callbacks = new Callbacks(executor);
    this.operationTimeout = operationTimeout;
    this.events = new Events(listener, callbacks, ticker);
    this.answers = new Answers(ticker);
    this.keeper = new Keeper(this);
    this.departures = new Departures(this);
    this.owners = new Owners(ids.next(), clientName);
  }

  // ---------------------------------------------------------------- for the API

  /** A mutex of this name. */
  public DistributedLock mutex(String name, LockOptions options) {
    options.check();
    store.traits().check(store.toString(), options);
    return new EngineLock(this, name, LockSpec.mutex(options));
  }

  /** See {@link LockStore#inspect}. */
  public LockInfo inspect(String name) {
    return answer("the inspection of", name, () -> store.inspect(name));
  }

  /** See {@link LockStore#list}. */
  public List<LockInfo> list(String prefix, int limit) {
    return answer("the listing of", prefix, () -> store.list(prefix, limit));
  }

  /** See {@link LockStore#evict}. */
  public boolean evict(String name) {
    return answer("the eviction of", name, () -> store.evict(name));
  }

  /** Whether the client of the proof holds the lock with a token no later than the proof's. */
  public boolean verify(Proof proof) {
    return inspect(proof.lock()).holders().stream()
        .anyMatch(
            holder ->
                holder.owner().client().equals(proof.owner().client())
                    && holder.token() <= proof.token());
  }

  /** See {@link LockStore#traits}. */
  public Traits traits() {
    return store.traits();
  }

  /** Resumes a detached lease. */
  public Lease attach(LeaseHandle handle, LockOptions defaults) {
    checkOpen();
    LockOptions options =
        LockOptions.defaults().ttl(handle.ttl()).label(defaults.label()).handOff(false);
    LockSpec spec = LockSpec.mutex(options);
    Claim claim =
        new Claim(
            handle.claimId(),
            handle.lockName(),
            Kind.MUTEX,
            1,
            1,
            handle.owner(),
            handle.ttl(),
            null,
            0,
            floor.get());
    Moment sent = Moment.exact(ticker);
    Map<Claim, Standing> standings =
        answer("the renewal of", handle.lockName(), () -> store.refresh(List.of(claim)));
    Standing standing = standings.getOrDefault(claim, new Unknown(null));
    if (standing instanceof Unknown unknown) {
      throw noAnswer("the renewal of", handle.lockName(), unknown.cause());
    }
    if (!(standing instanceof Granted grant)) {
      throw new LeaseLostException(handle.lockName(), handle.token(), "has ended meanwhile");
    }
    // The handle's token, not the claim's first one: it may have been passed on before.
    Granted resumed = new Granted(Math.max(grant.token(), handle.token()));
    Request request = new AttachRequest(handle.lockName(), spec, ticker);
    while (true) {
      LocalQueue queue = queue(handle.lockName());
      Hold hold = queue.adopt(new Tenure(queue, spec, claim, request), resumed, sent);
      if (hold != null) {
        return new EngineLease(hold);
      }
    }
  }

  /** Makes later tokens greater than this one. */
  public void raiseFloor(long token) {
    if (floor.get() < token) {
      floor.accumulateAndGet(token, Math::max);
    }
  }

  /** Ends everything in bounded time. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    List<Tenure> leaving = new ArrayList<>();
    queues.values().forEach(queue -> queue.close(leaving));
    Waits.quietly(departures.leaveAll(leaving), operationTimeout);
    if (ownsTicker) {
      ticker.close();
    }
    store.close();
    callbacks.close();
  }

  /** The store's address, without secrets. */
  @Override
  public String toString() {
    return store.toString();
  }

  // ---------------------------------------------------------------- for locks and leases

  /** Waits for a hold; null when busy. */
  @Nullable Hold acquire(String name, LockSpec spec, @Nullable Duration wait, boolean interruptibly)
      throws InterruptedException {
    if (interruptibly && Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for '" + name + "'");
    }
    LocalQueue current = queues.get(name);
    Hold nested = current == null ? null : current.reenter(spec);
    if (nested != null) {
      return nested;
    }
    BlockingRequest request = new BlockingRequest(name, spec, wait, ticker);
    LocalQueue queue = submit(name, request);
    if (!request.isDecided()) {
      limit(queue, request);
    }
    return request.await(queue, interruptibly);
  }

  CompletableFuture<@Nullable Lease> acquireAsync(
      String name, LockSpec spec, @Nullable Duration wait) {
    AsyncRequest request = new AsyncRequest(name, spec, wait, ticker, callbacks);
    LocalQueue queue = submit(name, request);
    if (!request.future.isDone()) {
      limit(queue, request);
    }
    request.leavesWhenCompleted(queue);
    return request.future;
  }

  private LocalQueue submit(String name, Request request) {
    checkOpen();
    while (true) {
      LocalQueue queue = queue(name);
      if (queue.submit(request)) {
        if (closed.get()) {
          // The client was closed in between and may have passed this queue by.
          List<Tenure> late = new ArrayList<>();
          queue.close(late);
          late.forEach(tenure -> departures.leave(tenure, Duration.ZERO));
        }
        return queue;
      }
    }
  }

  private LocalQueue queue(String name) {
    LocalQueue queue = queues.get(name);
    return queue != null ? queue : queues.computeIfAbsent(name, key -> new LocalQueue(key, this));
  }

  private void limit(LocalQueue queue, Request request) {
    Duration wait = request.waits() ? request.wait : operationTimeout;
    if (wait != null) {
      request.timer = ticker.schedule(wait, () -> queue.timeOut(request));
    }
  }

  @Nullable Hold heldBy(Thread thread, String name) {
    LocalQueue queue = queues.get(name);
    return queue == null ? null : queue.heldBy(thread);
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the client of " + store + " is closed");
    }
  }

  private <T> T answer(String what, String name, Supplier<CompletionStage<T>> question) {
    checkOpen();
    CompletableFuture<T> future = new CompletableFuture<>();
    answers.ask(
        question,
        operationTimeout,
        (answer, failure) -> {
          if (answer != null) {
            future.complete(answer);
          } else {
            future.completeExceptionally(noAnswer(what, name, failure));
          }
        });
    return Waits.forAnswer(future);
  }

  // ---------------------------------------------------------------- for the parts

  void join(Tenure tenure, boolean wait) {
    Duration valid = tenure.spec.options.validFor();
    Moment sent = Moment.exact(ticker); // the store's ttl starts no earlier than this
    answers.ask(
        () -> store.join(tenure.claim, wait),
        valid.compareTo(operationTimeout) < 0 ? valid : operationTimeout,
        (answer, failure) -> {
          if (answer != null) {
            tenure.queue.joined(tenure, answer, sent);
          } else {
            if (failure != null) {
              events.storeFailed("join", tenure.claim.lock(), failure);
            }
            tenure.queue.joinFailed(tenure, failure);
          }
        });
  }

  /** On a store that cannot queue: with jitter, so that clients do not meet again and again. */
  void rejoinLater(Tenure tenure) {
    long millis = ThreadLocalRandom.current().nextLong(20, 120);
    ticker.schedule(Duration.ofMillis(millis), () -> tenure.queue.rejoin(tenure));
  }

  Claim claim(String name, Request request, int spares) {
    LockSpec spec = request.spec;
    return new Claim(
        ids.next(),
        name,
        spec.kind,
        spec.weight,
        spec.capacity,
        owners.of(request.threadName, spec.options.label()),
        spec.options.ttl(),
        null,
        spares,
        floor.get());
  }

  long floor() {
    return floor.get();
  }

  void hint(String name) {
    LocalQueue queue = queues.get(name);
    if (queue != null) {
      queue.hint();
    }
  }

  Registration observe(String name, Runnable wake) {
    return store.observe(name, wake);
  }

  void retire(LocalQueue queue) {
    queues.remove(queue.name, queue);
  }

  /** How many names are in use; none once the last lease is closed. */
  int names() {
    return queues.size();
  }

  StoreException noAnswer(String what, String name, @Nullable Throwable cause) {
    if (cause instanceof StoreException known && known.lockName().isEmpty()) {
      return known;
    }
    String message =
        "No answer from "
            + store
            + " to "
            + what
            + " '"
            + name
            + "': it may or may not have taken effect"
            + (cause == null ? "." : " (" + cause.getMessage() + ").");
    return cause == null
        ? new StoreException(name, message)
        : new StoreException(name, message, cause);
  }

  Moment now() {
    return Moment.now(ticker);
  }

  Ticker ticker() {
    return ticker;
  }

  LockStore store() {
    return store;
  }

  Executor executor() {
    return callbacks;
  }

  Events told() {
    return events;
  }

  Answers answers() {
    return answers;
  }

  Keeper keeper() {
    return keeper;
  }

  Departures departures() {
    return departures;
  }

  Duration operationTimeout() {
    return operationTimeout;
  }
}
