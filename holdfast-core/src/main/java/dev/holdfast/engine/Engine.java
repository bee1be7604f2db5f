package dev.holdfast.engine;

import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one client consists of: a store, the time, one {@link LocalQueue} per name in use, the
 * {@link Keeper} of all claims and the {@link Departures} of those that end.
 *
 * <p>Any threads.
 */
public final class Engine implements AutoCloseable {

  private static final int CALLBACK_THREADS = 4;

  /** Many: an action that blocks must not keep another lease from hearing of its loss. */
  private static final int ALARM_THREADS = 64;

  private final LockStore store;
  private final Ticker ticker;
  private final boolean ownsTicker;
  private final Callbacks callbacks;
  private final Callbacks alarms;
  private final Events events;
  private final Answers answers;
  private final Keeper keeper;
  private final Departures departures;
  private final Duration operationTimeout;
  private final Duration backstop;
  private final Joins joins;
  private final ConcurrentHashMap<String, LocalQueue> queues = new ConcurrentHashMap<>();
  private final Floor floor = new Floor();
  private final Set<Candidate> candidates = ConcurrentHashMap.newKeySet();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  // Mutable state
  private volatile boolean sweeping; // from here on whoever comes late sweeps up after itself

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
    this.callbacks = new Callbacks(executor, CALLBACK_THREADS, "holdfast-callback");
    this.alarms = new Callbacks(executor, ALARM_THREADS, "holdfast-alarm");
    this.operationTimeout = operationTimeout;
    this.backstop = operationTimeout.multipliedBy(2).plusSeconds(1);
    this.events = new Events(listener, callbacks, alarms, ticker);
    this.answers = new Answers(ticker);
    this.keeper = new Keeper(this);
    this.departures = new Departures(this);
    this.joins = new Joins(this, clientName);
  }

  /** See {@link LockStore#inspect}. */
  public LockInfo inspect(String name) {
    return ask("the inspection of", name, it -> it.inspect(name));
  }

  /** See {@link LockStore#list}. */
  public List<LockInfo> list(String prefix, int limit) {
    store.traits().checkLists(store.toString());
    return ask("the listing of", prefix, it -> it.list(prefix, limit));
  }

  /** See {@link LockStore#evict}. */
  public boolean evict(String name) {
    return ask("the eviction of", name, it -> it.evict(name));
  }

  /** See {@link LockStore#traits}. */
  public Traits traits() {
    return store.traits();
  }

  /** Resumes a detached lease. */
  public Lease attach(LeaseHandle handle, LockOptions defaults) {
    LockOptions options =
        LockOptions.defaults().ttl(handle.ttl()).label(defaults.label()).handOff(false);
    LockSpec spec = LockSpec.mutex(options);
    return new EngineLease(new Attachment(handle, spec).resume(this), spec);
  }

  /** Takes over a claim that stands at the store already. */
  Hold adopt(Request request, Claim claim, Granted grant, Moment sent) {
    while (true) {
      LocalQueue queue = queue(request.name);
      Hold hold = queue.adopt(new Tenure(queue, request.spec, claim, request), grant, sent);
      if (hold != null) {
        sweepLate(queue);
        return hold;
      }
    }
  }

  /** Makes later tokens greater than this one. */
  public void raiseFloor(long token) {
    floor.demand(token);
  }

  /** Ends everything in bounded time. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Candidate.closeAll(this, candidates); // leaders stop before others can start
    sweeping = true;
    Waits.quietly(departures.leaveAll(sweep(queues.values())), operationTimeout);
    answers.close();
    if (ownsTicker) {
      ticker.close();
    }
    try {
      store.close();
    } finally {
      callbacks.close();
      alarms.close();
    }
  }

  /** The store's address, without secrets. */
  @Override
  public String toString() {
    return store.toString();
  }

  /** Waits for a hold; null when busy. */
  @Nullable Hold acquire(String name, LockSpec spec, @Nullable Duration wait, boolean interruptibly)
      throws InterruptedException {
    if (interruptibly) {
      checkInterrupt(name);
    }
    LocalQueue current = queues.get(name);
    Hold nested = current == null ? null : current.reenter(spec);
    return nested != null
        ? nested
        : acquire(current, new BlockingRequest(name, spec, wait), interruptibly);
  }

  /** Waits for what this thread has asked for; null when busy. */
  @Nullable Hold acquire(BlockingRequest request) throws InterruptedException {
    checkInterrupt(request.name);
    return acquire(queues.get(request.name), request, true);
  }

  private static void checkInterrupt(String name) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for '" + name + "'");
    }
  }

  private @Nullable Hold acquire(
      @Nullable LocalQueue known, BlockingRequest request, boolean interruptibly)
      throws InterruptedException {
    LocalQueue queue = submit(known, request);
    if (!request.isDecided()) {
      limit(queue, request);
    }
    return request.await(queue, interruptibly);
  }

  CompletableFuture<@Nullable Lease> acquireAsync(
      String name, LockSpec spec, @Nullable Duration wait) {
    AsyncRequest request = new AsyncRequest(name, spec, wait, callbacks);
    LocalQueue queue = submit(queues.get(name), request);
    if (!request.future.isDone()) {
      limit(queue, request);
    }
    request.leavesWhenCompleted(queue);
    return request.future;
  }

  private LocalQueue submit(@Nullable LocalQueue known, Request request) {
    checkOpen();
    LocalQueue queue = known != null ? known : queue(request.name);
    while (!queue.submit(request)) {
      queue = queue(request.name);
    }
    sweepLate(queue);
    return queue;
  }

  /** The end of the client may have passed this queue by, if it has come so far. */
  private void sweepLate(LocalQueue queue) {
    if (sweeping) {
      Moment now = now();
      sweep(List.of(queue))
          .forEach(tenure -> departures.leave(tenure, tenure.linger(now.nanos()), now));
    }
  }

  /** Ends all that is in these queues; what is to leave the store now. */
  private List<Tenure> sweep(Collection<LocalQueue> some) {
    // A leader that has not stopped by now keeps its claim until it has, or the ttl ends.
    Set<Tenure> kept = new HashSet<>();
    for (Candidate candidate : candidates) {
      Tenure led = candidate.tenure();
      if (led != null) {
        kept.add(led);
      }
    }
    List<Tenure> leaving = new ArrayList<>();
    some.forEach(queue -> queue.close(kept, leaving));
    return leaving;
  }

  private LocalQueue queue(String name) {
    LocalQueue made = new LocalQueue(name, this);
    LocalQueue known = queues.putIfAbsent(name, made);
    return known != null ? known : made;
  }

  private void limit(LocalQueue queue, Request request) {
    Duration wait = request.waits() ? request.wait : operationTimeout;
    if (wait != null) {
      Duration left = wait.minusNanos(ticker.nanoTime() - request.since);
      request.timed(
          ticker.schedule(left.isNegative() ? Duration.ZERO : left, () -> queue.timeOut(request)));
    }
  }

  @Nullable Hold heldBy(Thread thread, String name) {
    LocalQueue queue = queues.get(name);
    return queue == null ? null : queue.heldBy(thread);
  }

  /** Remembers who stands for election, so that the end of the client ends that first. */
  void enter(Candidate candidate) {
    checkOpen();
    candidates.add(candidate);
    if (closed.get()) {
      candidate.close();
    }
  }

  void withdraw(Candidate candidate) {
    candidates.remove(candidate);
  }

  boolean isClosed() {
    return closed.get();
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the client of " + store + " is closed");
    }
  }

  /** Asks the store something and waits for the answer, for a bounded time. */
  public <T> T ask(String what, String name, Function<LockStore, CompletionStage<T>> question) {
    checkOpen();
    CompletableFuture<T> future = new CompletableFuture<>();
    answers.ask(
        () -> question.apply(store),
        operationTimeout,
        (answer, failure) -> {
          if (answer != null) {
            future.complete(answer);
          } else {
            future.completeExceptionally(noAnswer(what, name, failure));
          }
        });
    return await(future);
  }

  /** Numbers the tenures in the order of their making. */
  long nextNumber() {
    return numbers.getAndIncrement();
  }

  Floor floor() {
    return floor;
  }

  /** Waits for an answer that has its own time-out; twice that is a backstop. */
  <T> T await(CompletableFuture<T> answer) {
    return Waits.forAnswer(answer, backstop);
  }

  void roomMade(String name) {
    LocalQueue queue = queues.get(name);
    if (queue != null) {
      queue.roomMade();
    }
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
      return new StoreException(name, String.valueOf(known.getMessage()), known);
    }
    String message = Text.noAnswer(store, what, name, cause);
    return cause == null
        ? new StoreException(name, message)
        : new StoreException(name, message, cause);
  }

  /** Why a request gets no decision of the store. */
  RuntimeException unanswered(String name, @Nullable Throwable cause) {
    return closed.get()
        ? new IllegalStateException("the client is closed")
        : noAnswer("a request for", name, cause);
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

  /** Where futures complete. */
  Executor callbacks() {
    return callbacks;
  }

  /** Where actions for a loss run. */
  Callbacks alarms() {
    return alarms;
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

  Joins joins() {
    return joins;
  }

  Departures departures() {
    return departures;
  }

  Duration operationTimeout() {
    return operationTimeout;
  }
}
