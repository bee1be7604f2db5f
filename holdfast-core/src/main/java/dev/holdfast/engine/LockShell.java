package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.LockException;
import dev.holdfast.Registration;
import dev.holdfast.engine.callback.Answers;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.state.Call;
import dev.holdfast.engine.state.Effects;
import dev.holdfast.engine.state.Effects.Effect;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.LockState;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.engine.state.Transitions;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * Owns the mutex of one lock within a client. Each event is one transition of the state under it;
 * what the transition decided is carried out after the mutex is let go, so no call leaves this
 * class under it. Under it, events are published and leaves counted: both keep their order so.
 */
final class LockShell {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** A transition. */
  @FunctionalInterface
  interface Event {
    void happens(LockState state, Moment now, Effects out);
  }

  /** A transition that tells something. */
  @FunctionalInterface
  interface Question<T> {
    @Nullable T happens(LockState state, Moment now, Effects out);
  }

  final LockState state;
  private final Engine engine;
  final Context context;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, changed under the mutex
  private @Nullable Registration observation;

  LockShell(String name, Engine engine) {
    this.engine = engine;
    this.context = engine.context;
    this.state = new LockState(name, context.client);
  }

  // ---------------------------------------------------------------- events

  /**
   * Something has happened. A transition that fails is logged, and fails the requests that wait.
   */
  void on(Event event) {
    on(event, false);
  }

  private void on(Event event, boolean mayRefuse) {
    Effects out = new Effects(context.events.heard || FlightRecorder.isInitialized());
    mutex.lock();
    try {
      // After the mutex: no event is dated before one that was handled earlier.
      Moment now = new Moment(context.ticker);
      try {
        event.happens(state, now, out);
      } catch (RuntimeException | Error e) {
        boolean refusal = e instanceof LockException || e instanceof IllegalStateException;
        if (mayRefuse && refusal && out.count == 0) {
          throw e;
        }
        broken(e, now, out);
      }
      announce(out);
    } finally {
      mutex.unlock();
    }
    if (out.count > 0) {
      carryOut(out);
    }
  }

  /**
   * As {@link #on}, where somebody wants to know what came of it.
   *
   * @return null if it failed
   * @throws RuntimeException what a transition throws that refuses, and has decided nothing
   */
  <T> @Nullable T ask(Question<T> question) {
    AtomicReference<T> answer = new AtomicReference<>(); // a cell; one thread uses it
    on((state, now, out) -> answer.setPlain(question.happens(state, now, out)), true);
    return answer.getPlain();
  }

  private void broken(Throwable cause, Moment now, Effects out) {
    String what = Text.unexpected(state.name);
    LOG.log(Level.ERROR, what, cause);
    HoldTransitions.fail(state, new IllegalStateException(what, cause), now, out);
  }

  /**
   * A caller asks for the lock.
   *
   * @return false if this shell is retired and another one must be made
   */
  boolean submitted(Request request) {
    request.taken = null;
    on(
        (state, now, out) -> {
          if (state.retired) {
            request.taken = false;
            return;
          }
          if (engine.isClosed) {
            HoldTransitions.clientClosed(state, Set.of(), now, out);
          }
          Transitions.submitted(state, request, now, out);
          request.taken = true;
        });
    if (request.taken == null && request.outcome == null) {
      decide(request, new IllegalStateException(Text.unexpected(state.name)));
    }
    return !Boolean.FALSE.equals(request.taken);
  }

  private boolean isTelling() {
    return context.events.heard || FlightRecorder.isInitialized();
  }

  /** A caller does not want the lock any more; see {@link Transitions#gaveUp}. */
  boolean gaveUp(Request request, String how) {
    return Boolean.TRUE.equals(
        ask((state, now, out) -> Transitions.gaveUp(state, request, how, now, out)));
  }

  /** The store has answered a leave; the next claim of this client need not wait for a hint. */
  void leaveAnswered(Tenure tenure, Left left) {
    // Of a lock that is not in use any more only a loss, or a listener, is worth the mutex.
    if (!state.retired || left == Left.GONE || isTelling()) {
      on((state, now, out) -> Transitions.leaveAnswered(state, tenure, left, now, out));
    }
    LockShell current = engine.find(state.name);
    if (current != null && current != this && left != Left.UNKNOWN) {
      current.on(Transitions::roomMade);
    }
  }

  /**
   * The client closes.
   *
   * @param leaves gets the leaves that were decided, for the caller to send in large batches
   */
  void closed(Set<Tenure> kept, Map<Effects.Leave, LockShell> leaves) {
    on(
        (state, now, out) -> {
          HoldTransitions.clientClosed(state, kept, now, out);
          for (int i = 0; i < out.count; i++) {
            if (out.get(i) instanceof Effects.Leave leave) {
              engine.leaves.decided();
              leaves.put(leave, this);
              out.set(i, null);
            }
          }
        });
  }

  // ---------------------------------------------------------------- effects

  /** What is done under the mutex, because its order matters; none of it calls out. */
  private void announce(Effects out) {
    if (out.changed != null) {
      engine.renewals.changed(out.changed, this);
    }
    for (Tenure tenure : out.changedToo) {
      engine.renewals.changed(tenure, this);
    }
    for (int i = 0; out.ordered && i < out.count; i++) {
      Effect effect = out.get(i);
      if (effect instanceof Effects.Leave) {
        engine.leaves.decided();
      } else if (effect instanceof Effects.Tell tell) {
        context.events.publish(tell.event());
      } else if (effect instanceof Effects.Retire) {
        engine.retire(this);
      }
    }
  }

  private void carryOut(Effects out) {
    boolean outermost = Answers.open();
    try {
      for (int i = 0; i < out.count; i++) {
        carryOut(i == 0 ? out.first : out.get(i)); // most have one
      }
    } finally {
      if (outermost) {
        Answers.drain();
      }
    }
    if (out.telling) {
      context.events.flush();
    }
  }

  private void carryOut(@Nullable Effect effect) {
    try {
      if (effect instanceof Effects.Join join) {
        join(join.call());
      } else if (effect instanceof Effects.Decide decide) {
        decide(decide.request(), decide.outcome());
      } else if (effect instanceof Effects.Leave leave) {
        engine.leaves.send(this, leave);
      } else if (effect instanceof Effects.Refresh refresh) {
        engine.renewals.refresh(refresh.tenure(), this);
      } else if (effect instanceof Effects.Signal signal) {
        signal.request().signal();
      } else if (effect instanceof Effects.Remind remind) {
        Request late = remind.request();
        at(remind.at(), (state, now, out) -> Transitions.limitReached(state, late, now, out));
      } else if (effect instanceof Effects.LookAgain look) {
        at(look.at(), HoldTransitions::lookedAgain);
      } else if (effect instanceof Effects.Rejoin rejoin) {
        rejoinLater(rejoin.tenure());
      } else if (effect instanceof Effects.Jeopardy) {
        LOG.log(Level.WARNING, "Renewal of {0} is overdue", quote(state.name));
      } else if (effect instanceof Effects.Lost lost) {
        lost(lost);
      } else if (effect instanceof Effects.Retire && observation != null) {
        observation.close();
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, Text.unexpected(state.name), e);
    }
  }

  private void join(Call call) {
    CompletionStage<JoinAnswer> stage;
    try {
      if (call.waits || context.store.traits().pushes()) {
        observe();
      }
      Deadline deadline = Deadline.at(call.sent.nanos + call.tenure.patience, context.ticker);
      stage = context.store.join(call.claim, call.waits, deadline);
    } catch (RuntimeException | Error e) {
      stage = CompletableFuture.failedFuture(e);
    }
    Answers.hear(
        stage,
        (answer, failure) -> {
          if (failure != null || context.events.heard || FlightRecorder.isInitialized()) {
            context.events.storeCall("join", state.name, call.sent.nanos, failure);
          }
          if (answer == null) {
            on((state, now, out) -> Transitions.joinFailed(state, call.tenure, failure, now, out));
          } else {
            on((state, now, out) -> Transitions.joinAnswered(state, call, answer, now, out));
          }
        });
  }

  private void decide(Request request, Object outcome) {
    request.outcome =
        outcome instanceof Transitions.Unanswered unanswered
            ? context.noAnswer("a request for", request.name, unanswered.cause())
            : outcome;
    if (request instanceof AsyncRequest asynchronous) {
      asynchronous.decided(this);
    } else if (request.thread != Thread.currentThread()) {
      LockSupport.unpark(request.thread);
    }
  }

  /** On a store that cannot queue: with jitter, so that clients do not meet again and again. */
  private void rejoinLater(Tenure tenure) {
    // The clock's last digits are as good as chance, and a test that drives it repeats them.
    long now = context.ticker.nanoTime();
    long chance = now * 0x9E3779B97F4A7C15L >>> 32;
    long millis = 20 + Math.floorMod(chance, 100L);
    at(
        now + Duration.ofMillis(millis).toNanos(),
        (state, at, out) -> Transitions.retryDue(state, tenure, at, out));
  }

  private Registration at(long moment, Event event) {
    long delay = Math.max(0, moment - context.ticker.nanoTime());
    return context.ticker.schedule(Duration.ofNanos(delay), () -> on(event));
  }

  /** Feeds the limit of a request, if it has one. */
  Registration limit(Request request) {
    if (request.waitNanos == Request.FOR_EVER) {
      return Registration.NONE;
    }
    long wait = request.waitNanos != 0 ? request.waitNanos : context.operationTimeout.toNanos();
    return at(
        request.since + wait,
        (state, now, out) -> Transitions.limitReached(state, request, now, out));
  }

  private void lost(Effects.Lost lost) {
    LOG.log(
        Level.WARNING,
        "Lease on {0} (token {1}) is lost: {2}",
        quote(state.name),
        Long.toString(lost.hold().token),
        lost.reason().text());
    lost.actions().forEach(this::run);
  }

  /** Runs an action for a loss on the executor it was given with. */
  void run(Hold.Action action) {
    Runnable isolated =
        () -> {
          try {
            action.task().run();
          } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "An action for the loss of " + quote(state.name) + " failed", e);
          }
        };
    context.alarms.execute(isolated, action.executor());
  }

  // ---------------------------------------------------------------- hints

  /** Asks the store for hints, once. A store that throws is asked again. */
  void observe() {
    if (observation != null) { // a late look at it does no harm
      return;
    }
    Registration started =
        context.store.observe(state.name, () -> Answers.handle(() -> on(Transitions::hinted)));
    mutex.lock();
    try {
      if (observation == null && !state.retired) {
        observation = started;
        return;
      }
    } finally {
      mutex.unlock();
    }
    started.close();
  }
}
