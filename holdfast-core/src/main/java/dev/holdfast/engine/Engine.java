package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.Traits;
import dev.holdfast.engine.callback.Answers;
import dev.holdfast.engine.state.Effects.Leave;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.KeptClaims;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client: feeds the requests of callers into the {@link LockShell} of their lock, asks the
 * store questions for people, and ends everything in bounded time. Thread-safe.
 */
public final class Engine implements AutoCloseable {

  final Context context;
  final Renewals renewals;
  final Leaves leaves;
  final Leaks leaks;
  private final Floors floors;
  private final boolean ownsTicker;
  private final Duration backstop;
  private final ConcurrentHashMap<String, LockShell> shells = new ConcurrentHashMap<>();
  private final Closings closings = new Closings(this);
  private final AtomicBoolean closing = new AtomicBoolean();

  // Mutable state
  volatile boolean isClosed; // every shell refuses requests: one that is made later finds this

  /** For {@link dev.holdfast.Holdfast.Builder}. */
  public Engine(EngineSettings settings) {
    this.context = new Context(settings);
    this.leaks = new Leaks(settings.leakReports());
    this.renewals = new Renewals(context, leaks);
    this.leaves = new Leaves(context);
    this.floors = new Floors(this);
    this.ownsTicker = settings.ownsTicker();
    if (traits().tellsHolders()) {
      ExitHook.add(this);
    }
    this.backstop = settings.operationTimeout().multipliedBy(2).plusSeconds(1);
  }

  // ---------------------------------------------------------------- acquiring

  /** Waits for a lease; null when busy. */
  @Nullable EngineLease acquire(String name, LockSpec spec, long waitNanos, boolean interruptibly)
      throws InterruptedException {
    LockShell shell = shells.get(name);
    Hold again = shell == null ? null : reenter(shell, spec, interruptibly);
    return shell != null && again != null
        ? lease(shell, again, spec)
        : acquire(new Request(name, spec, waitNanos), interruptibly);
  }

  /** Waits for what this thread has asked for; null when busy. */
  @Nullable EngineLease acquire(Request request, boolean interruptibly)
      throws InterruptedException {
    if (interruptibly && Thread.interrupted()) {
      throw new InterruptedException("interrupted before waiting for " + quote(request.name));
    }
    LockShell shell = submit(request);
    Hold hold =
        request.outcome instanceof Hold granted
            ? granted
            : Parking.await(shell, request, interruptibly);
    return hold == null ? null : lease(shell, hold, request.spec);
  }

  /**
   * Re-entry of the exclusive holder, without the mutex: nobody but its own thread can be here.
   * Whatever keeps it from that is found out under the mutex.
   */
  private @Nullable Hold reenter(LockShell shell, LockSpec spec, boolean interruptibly) {
    Hold hold = shell.state.exclusive;
    boolean again =
        hold != null
            && spec.reentrant
            && spec.minHoldNanos == 0
            && hold.isOf(Thread.currentThread())
            && hold.spec.kind == spec.kind
            && !(interruptibly && Thread.currentThread().isInterrupted())
            && hold.remaining(now()) > 0
            && hold.enterAgain(spec.mode == Mode.SHARED);
    return again ? hold : null;
  }

  CompletableFuture<@Nullable Lease> acquireAsync(String name, LockSpec spec, long waitNanos) {
    AsyncRequest request = new AsyncRequest(this, name, spec, waitNanos);
    LockShell shell = submit(request);
    request.leaves(shell);
    return request.future;
  }

  /** The lease of a new hold, or of one more entry into it. */
  EngineLease lease(LockShell shell, Hold hold, LockSpec spec) {
    if (leaks.sample > 0 && ThreadLocalRandom.current().nextInt(leaks.sample) == 0) {
      leaks.acquired(hold);
    }
    return new EngineLease(this, shell, hold, spec.mode == Mode.SHARED);
  }

  private LockShell submit(Request request) {
    if (closing.get()) {
      checkOpen();
    }
    while (true) {
      LockShell shell = shells.get(request.name);
      if (shell == null) {
        LockShell made = new LockShell(request.name, this);
        LockShell raced = shells.putIfAbsent(request.name, made);
        shell = raced != null ? raced : made;
      }
      if (shell.submitted(request)) {
        return shell;
      }
    }
  }

  @Nullable Hold heldBy(Thread thread, String name) {
    LockShell shell = shells.get(name);
    return shell == null ? null : shell.ask((state, now, out) -> state.heldBy(thread));
  }

  // ---------------------------------------------------------------- the locks in use

  @Nullable LockShell find(String name) {
    return shells.get(name);
  }

  /** Nothing is left of it. */
  void retire(LockShell shell) {
    shells.remove(shell.state.name, shell);
  }

  /** How many names are in use; none once the last lease is closed. */
  int names() {
    return shells.size();
  }

  // ---------------------------------------------------------------- detached leases

  /** Resumes a detached lease. */
  public Lease attach(LeaseHandle handle, LockOptions defaults) {
    LockOptions options =
        handle.options(context.ticker.wallMicros() / 1000).label(defaults.label()).handOff(false);
    // Not all of check(): what is left of a maxHold may be shorter than the ttl.
    traits().check(toString(), options);
    Resumption request = new Resumption(handle, LockSpec.mutex(options), context.client);
    Moment sent = now();
    var granted = request.renew(this);
    while (true) {
      LockShell shell = shells.computeIfAbsent(request.name, name -> new LockShell(name, this));
      Hold hold =
          shell.ask(
              (state, now, out) -> {
                checkOpen(); // one that is made after the end finds that by itself
                return state.retired
                    ? null
                    : HoldTransitions.attached(
                        state, request, request.claim, request.asked, granted, sent, now, out);
              });
      if (hold != null) {
        if (traits().pushes()) {
          shell.observe();
        }
        return lease(shell, hold, request.spec);
      }
    }
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
    traits().checkLists(toString());
    return ask("list", "the listing of", prefix, it -> it.list(prefix, limit));
  }

  /** See {@link LockStore#evict}. */
  public boolean evict(String name, long token) {
    return ask("evict", "the breaking of", name, it -> it.evict(name, token));
  }

  /** The store of a client that is open. */
  public LockStore store() {
    checkOpen();
    return context.store;
  }

  /** See {@link LockStore#traits}. */
  public Traits traits() {
    return context.store.traits();
  }

  /** Asks the store something and waits for the answer, for a bounded time. */
  public <T> T ask(
      String verb, String what, String name, Function<LockStore, CompletionStage<T>> question) {
    checkOpen();
    long sent = context.ticker.nanoTime();
    return await(
        answer(
            what, name, question, failure -> context.events.storeCall(verb, name, sent, failure)));
  }

  private <T> CompletableFuture<T> answer(
      String what,
      String name,
      Function<LockStore, CompletionStage<T>> question,
      Consumer<@Nullable Throwable> first) {
    CompletableFuture<T> future = new CompletableFuture<>();
    context.answers.ask(
        () -> question.apply(context.store),
        context.operationTimeout,
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
    return context.events.dropped();
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

  /** {@return whether its end has begun} */
  public boolean isClosed() {
    return closing.get();
  }

  void checkOpen() {
    if (closing.get()) {
      throw new IllegalStateException("the client of " + context.store + " is closed");
    }
  }

  /** Ends everything in bounded time. */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    ExitHook.remove(this);
    Set<Tenure> kept = closings.endAll(); // leaders stop before others can start
    isClosed = true;
    Map<Leave, LockShell> decided = new LinkedHashMap<>();
    shells.values().forEach(shell -> shell.closed(kept, decided));
    Waits.quietly(leaves.sendAll(decided), context.operationTimeout);
    context.answers.close();
    if (ownsTicker) {
      context.ticker.close();
    }
    try {
      context.store.close();
    } finally {
      context.futures.close();
      context.alarms.close();
    }
  }

  /** Gives back the claims that nobody holds; their leaves. */
  List<CompletableFuture<Boolean>> giveBackKept() {
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (LockShell shell : shells.values()) {
      List<CompletableFuture<Boolean>> some = shell.ask(KeptClaims::exiting);
      all.addAll(some == null ? List.of() : some);
    }
    return all;
  }

  // ---------------------------------------------------------------- for what is built on locks

  /** The client's time. */
  public Ticker ticker() {
    return context.ticker;
  }

  /** Where actions for a loss and listeners run. */
  public Executor alarms() {
    return context.alarms;
  }

  /** Threads of the client's own, which serve whatever the caller's executor is busy with. */
  public Executor ownThreads() {
    return context.alarms.own();
  }

  /** Waits for an answer that has its own time-out; twice that is a backstop. */
  public <T> T await(CompletableFuture<T> answer) {
    if (!answer.isDone()) {
      Answers.beforeWaiting();
    }
    return Waits.forAnswer(answer, backstop);
  }

  /** Waits at most for the operation time-out, whatever comes of it. */
  public void awaitQuietly(CompletableFuture<?> answer) {
    Waits.quietly(answer, context.operationTimeout);
  }

  /** The same answer; continuations of the caller's do not run on the store's threads. */
  public <T> CompletableFuture<T> calledBack(CompletableFuture<T> answer) {
    return answer.isDone() ? answer : answer.thenApplyAsync(Function.identity(), context.futures);
  }

  Moment now() {
    return new Moment(context.ticker);
  }

  /** The store's address, without secrets. */
  @Override
  public String toString() {
    return context.store.toString();
  }
}
