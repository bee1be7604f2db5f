package dev.holdfast.engine;

import static dev.holdfast.spi.support.PrintableText.quote;

import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.engine.state.Effects.Leave;
import dev.holdfast.engine.state.Floor;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.Limits;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.LockState;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client: feeds the requests of callers into the {@link LockShell} of their lock, asks the
 * store questions for people, and ends everything in bounded time. Thread-safe.
 */
public final class Engine implements AutoCloseable {

  private final Context context;
  private final Locks locks;
  private final Floors floors;
  private final boolean ownsTicker;
  private final Duration backstop;
  private final Closings closings = new Closings(this);
  private final AtomicBoolean closed = new AtomicBoolean();

  /** For {@link dev.holdfast.Holdfast.Builder}. */
  public Engine(EngineSettings settings) {
    Ticker ticker = settings.ticker();
    boolean driven = !settings.ownsTicker();
    Callbacks futures = new Callbacks(settings.executor(), driven, "holdfast-callback");
    this.context =
        new Context(
            settings.store(),
            ticker,
            settings.operationTimeout(),
            new Answers(ticker),
            new Events(settings.listeners(), futures, ticker),
            futures,
            new Callbacks(settings.executor(), driven, "holdfast-alarm"));
    this.ownsTicker = settings.ownsTicker();
    this.backstop = settings.operationTimeout().multipliedBy(2).plusSeconds(1);
    Floor floor = new Floor(settings.store().traits().maxFloor());
    Limits limits = Limits.of(settings.operationTimeout(), settings.store().traits());
    AtomicLong numbers = new AtomicLong();
    this.locks =
        new Locks(
            context,
            new LockState.Context(
                new Claims(settings.clientName()), limits, floor, numbers::getAndIncrement),
            new Leaks(settings.leakReports()));
    this.floors = new Floors(context, locks);
  }

  // ---------------------------------------------------------------- acquiring

  /** Waits for a hold; null when busy. */
  @Nullable Hold acquire(String name, LockSpec spec, long waitNanos, boolean interruptibly)
      throws InterruptedException {
    if (interruptibly) {
      checkInterrupt(name);
    }
    LockShell shell = locks.find(name);
    Hold nested = shell == null ? null : reenter(shell, spec);
    return nested != null
        ? nested
        : acquire(shell, new Request(name, spec, waitNanos), interruptibly);
  }

  /** Waits for what this thread has asked for; null when busy. */
  @Nullable Hold acquire(PartRequest request, boolean interruptibly) throws InterruptedException {
    if (interruptibly) {
      checkInterrupt(request.name);
    }
    return acquire(locks.find(request.name), request, interruptibly);
  }

  /** Re-entry of the exclusive holder, without the mutex: nobody but its own thread can be here. */
  private @Nullable Hold reenter(LockShell shell, LockSpec spec) {
    Hold hold = shell.state.exclusive();
    if (hold == null
        || !spec.reentrant
        || !hold.isOf(Thread.currentThread())
        || hold.spec.kind != spec.kind) {
      return null;
    }
    if (hold.remaining(now()) <= 0) {
      throw hold.lostException(context.ticker().nanoTime());
    }
    if (!hold.enterAgain(spec.mode == Mode.SHARED)) {
      return null;
    }
    if (spec.minHoldNanos > 0) {
      shell.keptLonger(hold, spec.minHoldNanos);
    }
    return hold;
  }

  private @Nullable Hold acquire(@Nullable LockShell known, Request request, boolean interruptibly)
      throws InterruptedException {
    LockShell shell = submit(known, request);
    if (request.outcome() instanceof Hold hold) {
      return hold;
    }
    Registration limit = request.outcome() == null ? limit(shell, request) : Registration.NONE;
    try {
      return Parking.await(shell, request, interruptibly);
    } finally {
      limit.close();
    }
  }

  CompletableFuture<@Nullable Lease> acquireAsync(String name, LockSpec spec, long waitNanos) {
    AsyncRequest request =
        new AsyncRequest(name, spec, waitNanos, context.futures(), hold -> lease(hold, spec));
    LockShell shell = submit(locks.find(name), request);
    if (!request.future.isDone()) {
      Registration limit = limit(shell, request);
      var unused = request.future.whenComplete((lease, failure) -> limit.close());
    }
    request.leavesWhenCompleted(shell);
    return request.future;
  }

  /** The lease of a new hold, or of one more entry into it. */
  EngineLease lease(Hold hold, LockSpec spec) {
    locks.leaks().acquired(hold);
    return new EngineLease(this, hold, spec.mode == Mode.SHARED);
  }

  private LockShell submit(@Nullable LockShell known, Request request) {
    checkOpen();
    LockShell shell = known != null ? known : locks.findOrMake(request.name);
    while (!shell.submitted(request)) {
      shell = locks.findOrMake(request.name);
    }
    return shell;
  }

  private Registration limit(LockShell shell, Request request) {
    if (request.waitNanos == Request.FOR_EVER) {
      return Registration.NONE;
    }
    long wait = request.waitNanos != 0 ? request.waitNanos : context.operationTimeout().toNanos();
    long left = wait - (context.ticker().nanoTime() - request.since);
    return context
        .ticker()
        .schedule(Duration.ofNanos(Math.max(0, left)), () -> shell.limitReached(request));
  }

  @Nullable Hold heldBy(Thread thread, String name) {
    LockShell shell = locks.find(name);
    return shell == null ? null : shell.heldBy(thread);
  }

  private static void checkInterrupt(String name) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for " + quote(name));
    }
  }

  // ---------------------------------------------------------------- detached leases

  /** Resumes a detached lease. */
  public Lease attach(LeaseHandle handle, LockOptions defaults) {
    LockOptions options =
        handle.options(context.ticker().wallMicros() / 1000).label(defaults.label()).handOff(false);
    // Not all of check(): what is left of a maxHold may be shorter than the ttl.
    traits().check(toString(), options);
    Resumption request = new Resumption(handle, LockSpec.mutex(options));
    Moment sent = Moment.exact(context.ticker());
    Granted granted = request.renew(this);
    Hold hold = null;
    while (hold == null) {
      LockShell shell = locks.findOrMake(request.name);
      hold = shell.attached(request, request.claim(), granted, sent);
    }
    return lease(hold, request.spec);
  }

  // ---------------------------------------------------------------- questions

  /** See {@link LockStore#inspect}. */
  public LockInfo inspect(String name) {
    return ask("inspect", "the inspection of", name, it -> it.inspect(name));
  }

  /** As {@link #inspect}, without waiting: fails with what that throws. Not told to listeners. */
  public CompletableFuture<LockInfo> inspectAsync(String name) {
    return answer("the inspection of", name, it -> it.inspect(name), failure -> {});
  }

  /** See {@link LockStore#list}. */
  public List<LockInfo> list(String prefix, int limit) {
    context.store().traits().checkLists(context.store().toString());
    return ask("list", "the listing of", prefix, it -> it.list(prefix, limit));
  }

  /** See {@link LockStore#evict}. */
  public boolean evict(String name, long token) {
    return ask("evict", "the breaking of", name, it -> it.evict(name, token));
  }

  /** The store of a client that is open. */
  public LockStore store() {
    checkOpen();
    return context.store();
  }

  /** See {@link LockStore#traits}. */
  public Traits traits() {
    return context.store().traits();
  }

  /** Asks the store something and waits for the answer, for a bounded time. */
  public <T> T ask(
      String verb, String what, String name, Function<LockStore, CompletionStage<T>> question) {
    checkOpen();
    long sent = context.ticker().nanoTime();
    return await(
        answer(
            what,
            name,
            question,
            failure -> context.events().storeCall(verb, name, sent, failure)));
  }

  private <T> CompletableFuture<T> answer(
      String what,
      String name,
      Function<LockStore, CompletionStage<T>> question,
      Consumer<@Nullable Throwable> first) {
    CompletableFuture<T> future = new CompletableFuture<>();
    context
        .answers()
        .ask(
            () -> question.apply(context.store()),
            context.operationTimeout(),
            (answer, failure) -> {
              first.accept(failure);
              if (answer != null) {
                future.complete(answer);
              } else {
                future.completeExceptionally(context.noAnswer(what, name, failure));
              }
            });
    return future;
  }

  /** How later tokens are made greater. */
  public Floors floors() {
    return floors;
  }

  /** How many events the listeners were too slow for. */
  public long droppedEvents() {
    return context.events().dropped();
  }

  /**
   * Refuses options that the store cannot honour, and kinds of lock that it does not support.
   *
   * @throws IllegalArgumentException for options
   * @throws UnsupportedOperationException for kinds
   */
  public void check(Kind kind, LockOptions options) {
    options.check();
    Traits traits = traits();
    traits.check(toString(), options);
    if (!traits.kinds().contains(kind)) {
      throw new UnsupportedOperationException(this + " does not support locks of kind " + kind);
    }
  }

  // ---------------------------------------------------------------- the end

  /** What the end of the client ends first. */
  public Closings closings() {
    return closings;
  }

  /** Whether its end has begun. */
  public boolean isClosed() {
    return closed.get();
  }

  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the client of " + context.store() + " is closed");
    }
  }

  /** Ends everything in bounded time. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Set<Tenure> kept = closings.endAll(); // leaders stop before others can start
    List<Leave> leaves = new ArrayList<>();
    locks.close().forEach(shell -> leaves.addAll(shell.closed(kept)));
    Waits.quietly(locks.leaves().sendAll(leaves), context.operationTimeout());
    context.answers().close();
    if (ownsTicker) {
      context.ticker().close();
    }
    try {
      context.store().close();
    } finally {
      context.futures().close();
      context.alarms().close();
    }
  }

  // ---------------------------------------------------------------- for the parts of a client

  /** The client's time. */
  public Ticker ticker() {
    return context.ticker();
  }

  /** Where actions for a loss and listeners run. */
  public Executor alarms() {
    return context.alarms();
  }

  /** Threads of the client's own, which serve whatever the caller's executor is busy with. */
  public Executor ownThreads() {
    return context.alarms().own();
  }

  Context context() {
    return context;
  }

  Renewals renewals() {
    return locks.renewals();
  }

  /** How many names are in use; none once the last lease is closed. */
  int names() {
    return locks.size();
  }

  /** Waits for an answer that has its own time-out; twice that is a backstop. */
  public <T> T await(CompletableFuture<T> answer) {
    Inbox.beforeWaiting();
    return Waits.forAnswer(answer, backstop);
  }

  /** Waits at most for the operation time-out, whatever comes of it. */
  public void awaitQuietly(CompletableFuture<?> answer) {
    Waits.quietly(answer, context.operationTimeout());
  }

  /** The same answer; continuations of the caller's do not run on the store's threads. */
  public <T> CompletableFuture<T> calledBack(CompletableFuture<T> answer) {
    return answer.isDone() ? answer : answer.thenApplyAsync(Function.identity(), context.futures());
  }

  Moment now() {
    return Moment.now(context.ticker());
  }

  /** The store's address, without secrets. */
  @Override
  public String toString() {
    return context.store().toString();
  }
}
