package dev.holdfast.engine;

import dev.holdfast.LeaseState;
import dev.holdfast.Mode;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.engine.Hold.Action;
import dev.holdfast.engine.Tenure.Phase;
import dev.holdfast.engine.Validity.Moment;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * The one state machine of a lock name within a client. Every event is a transition under the
 * mutex: a request comes or gives up, the store answers, a hold is released, lost or runs out of
 * time, the client closes. A transition never calls out; what is to be done is collected in Effects
 * and done after the mutex is let go. So an answer that the memory store gives at once is simply
 * the next transition.
 *
 * At any time the head of the waiting requests is in one of two situations:
 *
 *   expecting   a granted tenure of ours can still be passed on to it, or
 *   pending     a tenure made for it stands at the store (joining, queued or retrying).
 *
 * There is at most one pending tenure per name, and any number of granted ones: one for a mutex,
 * several for a semaphore.
 *
 *            join                 granted                        last hold released
 *   (none) ───────► JOINING ────────────────────► GRANTED ───────────────────────────► ENDED
 *                      │  queued              ▲      │  ▲                                ▲
 *                      ├────────► QUEUED ─────┘      └──┘ passed on within the client    │
 *                      │  busy       │  gone                                             │
 *                      └────────► RETRYING ──────────────────────────────────────────────┘
 */
final class LocalQueue {

  /** How often the head may be overtaken by running threads before it is served for certain. */
  static final int BARGE_LIMIT = 64;

  private static final long MIN_RETRY_NANOS = 20_000_000;

  final String name;
  private final Engine engine;
  private final ReentrantLock mutex = new ReentrantLock();

  // Mutable state, guarded by mutex
  private final ArrayDeque<Request> waiting = new ArrayDeque<>(2);
  private final List<Tenure> granted = new ArrayList<>(1);
  private final Map<Thread, Hold> byThread = new HashMap<>(2);
  private @Nullable Tenure pending;
  private @Nullable Tenure sliceTimerFor;
  private Registration observation = Registration.NONE;
  private int demand;
  private boolean retired;

  LocalQueue(String name, Engine engine) {
    this.name = name;
    this.engine = engine;
  }

  // ---------------------------------------------------------------- requests

  /**
   * A request comes: it enters again, takes an idle tenure, shares one, or waits.
   *
   * @return false if this queue is retired and a new one must be made
   */
  boolean submit(Request request) {
    Effects effects = new Effects();
    mutex.lock();
    try {
      if (retired) {
        return false;
      }
      Moment now = engine.now();
      if (!reenter(request, now, effects) && !barge(request, now, effects)) {
        waiting.addLast(request);
        advance(now, effects);
      }
    } finally {
      mutex.unlock();
    }
    effects.run();
    return true;
  }

  /** A signalled request comes back for the tenure that was idle. */
  void retry(Request request) {
    transition(
        (now, effects) -> {
          request.signalled = false;
          advance(now, effects, request);
        });
  }

  /**
   * A request is not wanted any more.
   *
   * @return whether it was still waiting; otherwise its decision is on the way
   */
  boolean giveUp(Request request) {
    return withdraw(request, effects -> {});
  }

  /** A request has waited long enough: busy if somebody is known to be ahead, else unknown. */
  void timeOut(Request request) {
    withdraw(
        request,
        effects -> {
          if (knownBusy(engine.now())) {
            effects.add(request::busy);
          } else {
            effects.add(() -> request.failed(noAnswer("a request for", null)));
          }
        });
  }

  private boolean withdraw(Request request, Consumer<Effects> outcome) {
    Effects effects = new Effects();
    boolean waited;
    mutex.lock();
    try {
      waited = waiting.contains(request);
      if (waited) {
        outcome.accept(effects);
        waiting.remove(request);
        effects.add(() -> engine.told().gaveUp(this, request));
        advance(engine.now(), effects);
      }
    } finally {
      mutex.unlock();
    }
    effects.run();
    return waited;
  }

  @Nullable Hold holdOf(Thread thread) {
    mutex.lock();
    try {
      return byThread.get(thread);
    } finally {
      mutex.unlock();
    }
  }

  private boolean reenter(Request request, Moment now, Effects effects) {
    Thread thread = request.reentrantThread();
    Hold hold = thread == null ? null : byThread.get(thread);
    if (hold == null || !hold.spec.kind().equals(request.spec.kind())) {
      return false;
    }
    if (hold.remaining(now) <= 0) {
      effects.add(() -> request.failed(hold.lostException(engine.ticker())));
    } else {
      hold.count++;
      effects.add(() -> request.granted(hold));
    }
    return true;
  }

  // A running thread may take what is idle before the sleeping head wakes, but not for ever.
  private boolean barge(Request request, Moment now, Effects effects) {
    Request head = waiting.peekFirst();
    if (head != null && head.overtaken >= BARGE_LIMIT) {
      return false;
    }
    for (Tenure tenure : granted) {
      boolean open = tenure.isIdle() || (head == null && tenure.isShared());
      if (open && !tenure.isUnused() && tenure.canServe(request, now)) {
        if (head != null) {
          head.overtaken++;
        }
        give(tenure, request, now, effects);
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- the next step

  private void advance(Moment now, Effects effects) {
    advance(now, effects, null);
  }

  /**
   * Does whatever can be done for the head of the queue.
   *
   * @param present a blocking request whose thread is here, so that it need not be signalled
   */
  private void advance(Moment now, Effects effects, @Nullable Request present) {
    while (true) {
      Request head = waiting.peekFirst();
      if (head == null) {
        leaveUnused(now, effects);
        return;
      }
      Tenure idle = idle();
      if (idle != null) {
        if (idle.replenishing) {
          return;
        }
        if (idle.canServe(head, now)) {
          if (head.comesBack() && head != present && !idle.isUnused() && mayBeOvertaken(head)) {
            signal(head, effects);
            return;
          }
          waiting.removeFirst();
          give(idle, head, now, effects);
          continue;
        }
        if (!idle.hasToken() && idle.wouldPassTo(head, now)) {
          replenish(idle, effects);
          return;
        }
        depart(idle, now, effects);
        continue;
      }
      if (shares(head, now, effects)) {
        continue;
      }
      if (knownBusy(now)) {
        refuseTries(effects);
        if (!head.waits()) {
          continue;
        }
      }
      if (!expects(head, now, effects) && pending == null) {
        join(head, effects);
      }
      return;
    }
  }

  private boolean mayBeOvertaken(Request head) {
    return head.overtaken < BARGE_LIMIT;
  }

  private static void signal(Request head, Effects effects) {
    if (!head.signalled) {
      head.signalled = true;
      effects.add(head::signal);
    }
  }

  private @Nullable Tenure idle() {
    for (Tenure tenure : granted) {
      if (tenure.isIdle()) {
        return tenure;
      }
    }
    return null;
  }

  /** Readers at the head join the readers that run, within the slice. */
  private boolean shares(Request head, Moment now, Effects effects) {
    for (Tenure tenure : granted) {
      if (tenure.isShared() && tenure.wouldPassTo(head, now) && !tenure.replenishing) {
        if (tenure.hasToken()) {
          waiting.removeFirst();
          give(tenure, head, now, effects);
          return true;
        }
        replenish(tenure, effects);
      }
    }
    return false;
  }

  /** Whether the head can hope for a tenure that is running now; looked at again at slice end. */
  private boolean expects(Request head, Moment now, Effects effects) {
    for (Tenure tenure : granted) {
      if (tenure.wouldPassTo(head, now)) {
        if (sliceTimerFor != tenure) {
          sliceTimerFor = tenure;
          Duration left = Duration.ofNanos(tenure.sliceEnd() - now.nanos());
          effects.add(() -> engine.ticker().schedule(left, this::advanceNow));
        }
        return true;
      }
    }
    return false;
  }

  private void advanceNow() {
    transition((now, effects) -> advance(now, effects));
  }

  private void give(Tenure tenure, Request request, Moment now, Effects effects) {
    Hold hold = new Hold(tenure, request, tenure.takeToken(), now.nanos());
    tenure.holds.add(hold);
    tenure.keepUntil(now.nanos() + request.spec.options().minHold().toNanos());
    if (hold.thread != null) {
      byThread.put(hold.thread, hold);
    }
    engine.raiseFloor(hold.token);
    if (hold.isLimited()) {
      tenure.limitHolds();
      engine.keeper().wakeBy(tenure.nextMoment());
    }
    effects.add(
        () -> {
          engine.told().acquired(this, hold, request);
          request.granted(hold);
        });
  }

  /** Those who do not wait are told as soon as somebody is known to be ahead. */
  private void refuseTries(Effects effects) {
    waiting.removeIf(
        request -> {
          if (!request.waits()) {
            effects.add(request::busy);
          }
          return !request.waits();
        });
  }

  private boolean knownBusy(Moment now) {
    Tenure asked = pending;
    Validity heard = asked == null ? null : asked.validity;
    // A place in the queue proves nothing once it may have died unnoticed.
    if (asked != null
        && heard != null
        && now.nanos() - heard.sent().nanos() < asked.claim.waitingTtl().toNanos()) {
      return true;
    }
    for (Tenure tenure : granted) {
      if (tenure.spec.mode() == Mode.EXCLUSIVE && tenure.remaining(now) > 0) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- the store

  private void join(Request head, Effects effects) {
    Tenure tenure = new Tenure(this, head.spec, engine.claim(name, head, wantedSpares()), head);
    pending = tenure;
    if (head.waits() && observation == Registration.NONE) {
      observation = engine.observe(name, this::hint);
    }
    effects.add(() -> engine.join(tenure, head.waits()));
  }

  /** One for each request that waits here, or as many as the last slice has used. */
  private int wantedSpares() {
    int others = waiting.size() - 1;
    return others <= 0 ? 0 : Math.min(Tenure.SLICE_PASSES, Math.max(others, demand));
  }

  /** The claim as it is to be refreshed now, or null when there is nothing to refresh. */
  @Nullable Claim refreshing(Tenure tenure) {
    mutex.lock();
    try {
      if (tenure.phase != Phase.QUEUED && tenure.phase != Phase.GRANTED) {
        return null;
      }
      tenure.refreshing = true;
      tenure.nextRefresh = engine.ticker().nanoTime() + tenure.refreshNanos();
      int spares = 0;
      if (tenure == pending) {
        spares = wantedSpares();
      } else if (tenure.replenishing) {
        int left = Tenure.SLICE_PASSES - tenure.passes;
        spares = Math.min(left, Math.max(waiting.size(), tenure.passes));
      }
      return tenure.claim.asking(spares, engine.floor());
    } finally {
      mutex.unlock();
    }
  }

  private void replenish(Tenure tenure, Effects effects) {
    tenure.replenishing = true;
    effects.add(() -> engine.keeper().refreshNow(tenure));
  }

  /** The store has answered a join. */
  void joined(Tenure tenure, JoinAnswer answer, Moment sent) {
    transition(
        (now, effects) -> {
          if (tenure != pending || tenure.phase == Phase.ENDED) {
            return; // given up on before; its leave is on the way
          }
          if (answer instanceof Granted grant) {
            admit(tenure, grant, sent, now);
          } else if (answer instanceof Queued) {
            tenure.queued(sent);
            engine.keeper().watch(tenure);
            if (tenure.hinted) {
              effects.add(() -> engine.keeper().refreshNow(tenure));
            }
          } else if (answer instanceof Busy) {
            turnedAway(tenure, sent, effects);
          } else if (answer instanceof Mismatch mismatch) {
            drop(tenure);
            fail(tenure.requester, new IllegalStateException(describe(mismatch, tenure)), effects);
          }
          advance(now, effects);
        });
  }

  private void admit(Tenure tenure, Granted grant, Moment sent, Moment now) {
    pending = null;
    tenure.granted(grant, sent, now.nanos());
    granted.add(tenure);
    engine.keeper().watch(tenure);
  }

  private void turnedAway(Tenure tenure, Moment sent, Effects effects) {
    if (waiting.contains(tenure.requester) && tenure.requester.waits()) {
      tenure.queued(sent);
      tenure.phase = Phase.RETRYING;
      effects.add(() -> engine.rejoinLater(tenure));
    } else {
      drop(tenure);
      if (waiting.remove(tenure.requester)) {
        effects.add(tenure.requester::busy);
      }
    }
  }

  /** It is time to try again on a store that cannot queue. */
  void rejoin(Tenure tenure) {
    transition(
        (now, effects) -> {
          if (tenure == pending && tenure.phase == Phase.RETRYING) {
            tenure.phase = Phase.JOINING;
            effects.add(() -> engine.join(tenure, true));
          }
        });
  }

  /** The store has not answered a join in time: everybody who waits for it is told. */
  void joinFailed(Tenure tenure, @Nullable Throwable cause) {
    transition(
        (now, effects) -> {
          if (tenure != pending || tenure.phase == Phase.ENDED) {
            return;
          }
          drop(tenure);
          effects.add(() -> engine.departures().bury(tenure));
          for (Request request : new ArrayList<>(waiting)) {
            fail(request, noAnswer("a request for", cause), effects);
          }
          advance(now, effects);
        });
  }

  private void fail(Request request, RuntimeException cause, Effects effects) {
    if (waiting.remove(request)) {
      effects.add(() -> request.failed(cause));
    }
  }

  private void drop(Tenure tenure) {
    tenure.phase = Phase.ENDED;
    engine.keeper().forget(tenure);
    granted.remove(tenure);
    if (tenure == pending) {
      pending = null;
    }
  }

  /** The store has answered a refresh. */
  void refreshed(Tenure tenure, Standing standing, Moment sent) {
    transition(
        (now, effects) -> {
          tenure.refreshing = false;
          boolean asked = tenure.replenishing;
          tenure.replenishing = false;
          if (tenure.phase == Phase.ENDED) {
            return;
          }
          if (standing instanceof Granted grant) {
            confirmed(tenure, grant, sent, now, effects);
          } else if (standing instanceof Gone) {
            gone(tenure, now, effects);
          } else if (standing instanceof Queued && tenure.phase == Phase.QUEUED) {
            tenure.confirm(sent);
            if (tenure.hinted) {
              effects.add(() -> engine.keeper().refreshNow(tenure));
            }
          } else {
            refreshSoon(tenure, now);
            if (asked && tenure.isIdle()) {
              depart(tenure, now, effects); // no tokens to pass it on with: the store decides
            }
          }
          tenure.hinted = false;
          advance(now, effects);
        });
  }

  /** No answer: the lease stands until its deadline; until then it is tried again and again. */
  private void refreshSoon(Tenure tenure, Moment now) {
    tenure.nextRefresh = now.nanos() + Math.max(tenure.refreshNanos() / 8, MIN_RETRY_NANOS);
    engine.keeper().wakeBy(tenure.nextMoment());
  }

  private void confirmed(Tenure tenure, Granted grant, Moment sent, Moment now, Effects effects) {
    if (tenure.phase != Phase.GRANTED) {
      admit(tenure, grant, sent, now);
    } else if (tenure.remaining(now) <= 0) {
      lose(tenure, "it was not confirmed in time", now, effects); // too late is too late
    } else {
      tenure.confirm(sent);
      tenure.addSpares(grant.spares());
    }
  }

  private void gone(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED) {
      lose(tenure, "the store has ended it", now, effects);
    } else {
      drop(tenure); // the head joins anew
    }
  }

  /** Our turn may have come. */
  void hint() {
    transition(
        (now, effects) -> {
          Tenure asked = pending;
          if (asked != null && asked.phase == Phase.QUEUED) {
            asked.hinted = asked.refreshing;
            if (!asked.refreshing) {
              effects.add(() -> engine.keeper().refreshNow(asked));
            }
          } else if (asked != null && asked.phase == Phase.JOINING) {
            asked.hinted = true;
          }
        });
  }

  // ---------------------------------------------------------------- the end of a hold

  /**
   * One of a holder's leases is released; the last one lets go.
   *
   * @return whether the lock was ours until now
   */
  CompletableFuture<Boolean> release(Hold hold) {
    Effects effects = new Effects();
    CompletableFuture<Boolean> result;
    mutex.lock();
    try {
      Moment now = engine.now();
      boolean valid = hold.remaining(now) > 0;
      if (--hold.count > 0) {
        return CompletableFuture.completedFuture(valid);
      }
      if (!valid) {
        notice(hold.tenure, now, effects);
      }
      result = letGo(hold, valid, now, effects);
    } finally {
      mutex.unlock();
    }
    effects.run();
    return result;
  }

  private CompletableFuture<Boolean> letGo(Hold hold, boolean valid, Moment now, Effects effects) {
    Tenure tenure = hold.tenure;
    forgetThread(hold);
    boolean mine = tenure.holds.remove(hold);
    if (hold.isOver()) {
      if (tenure.phase == Phase.GRANTED && tenure.holds.isEmpty()) {
        depart(tenure, now, effects);
      } else if (mine && tenure.departure == null) {
        // Lost to us, perhaps not to the store: leaving lets the next one in earlier.
        effects.add(() -> engine.departures().leave(tenure, Duration.ZERO));
      }
      advance(now, effects);
      return CompletableFuture.completedFuture(false);
    }
    hold.released(now.nanos());
    effects.add(() -> engine.told().released(this, hold));
    advance(now, effects);
    CompletableFuture<Left> leaving = tenure.departure;
    return leaving == null
        ? CompletableFuture.completedFuture(valid)
        : leaving.thenApply(left -> wasOurs(left));
  }

  private boolean wasOurs(Left left) {
    if (left == Left.UNKNOWN) {
      throw noAnswer("the release of", null);
    }
    return left == Left.LEFT;
  }

  private void forgetThread(Hold hold) {
    if (hold.thread != null) {
      byThread.remove(hold.thread, hold);
    }
  }

  /**
   * Leaves the store without waiting for the answer; the lock stays taken until minHold is over.
   */
  private void depart(Tenure tenure, Moment now, Effects effects) {
    demand = tenure.passes;
    drop(tenure);
    Duration linger = Duration.ofNanos(Math.max(0, tenure.minHoldLeft(now.nanos())));
    CompletableFuture<Left> departure = new CompletableFuture<>();
    tenure.departure = departure;
    effects.add(() -> engine.departures().leave(tenure, linger));
  }

  private void leaveUnused(Moment now, Effects effects) {
    Tenure idle;
    while ((idle = idle()) != null) {
      depart(idle, now, effects);
    }
    Tenure asked = pending;
    if (asked != null && asked.phase != Phase.JOINING) {
      drop(asked);
      effects.add(() -> engine.departures().leave(asked, Duration.ZERO));
    }
    if (granted.isEmpty() && pending == null && byThread.isEmpty()) {
      retired = true;
      observation.close();
      engine.retire(this);
    }
  }

  private void lose(Tenure tenure, String reason, Moment now, Effects effects) {
    drop(tenure);
    for (Hold hold : tenure.holds) {
      tellLoss(hold, reason, now, effects);
    }
  }

  private void tellLoss(Hold hold, String reason, Moment now, Effects effects) {
    if (!hold.isOver()) {
      List<Action> actions = hold.lost(reason, now.nanos());
      effects.add(() -> engine.told().lost(this, hold, reason, actions));
    }
  }

  /** Keeps an action for the loss of a hold, or runs it if the loss has come. */
  Registration onLost(Hold hold, Action action) {
    boolean now;
    mutex.lock();
    try {
      if (!hold.isOver() && hold.remaining(engine.now()) > 0) {
        return hold.keep(action);
      }
      now = hold.state(engine.now()) == LeaseState.LOST;
    } finally {
      mutex.unlock();
    }
    if (now) {
      engine.told().run(action);
    }
    return Registration.NONE;
  }

  void forget(List<Action> actions, Action action) {
    mutex.lock();
    try {
      actions.remove(action);
    } finally {
      mutex.unlock();
    }
  }

  // ---------------------------------------------------------------- time

  /** Looks at what time alone has done to a tenure. */
  void tick(Tenure tenure) {
    transition(
        (now, effects) -> {
          if (tenure.phase == Phase.GRANTED) {
            notice(tenure, now, effects);
            tellJeopardy(tenure, now, effects);
            advance(now, effects);
          }
        });
  }

  private void notice(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED && tenure.remaining(now) <= 0) {
      lose(tenure, "it was not confirmed in time", now, effects);
    }
    for (Hold hold : List.copyOf(tenure.holds)) {
      if (hold.mustTellLoss(now.nanos())) {
        tellLoss(hold, "it was held for its maxHold", now, effects);
      }
      if (hold.mustLeave(now.nanos())) {
        tenure.holds.remove(hold);
      }
    }
    if (tenure.isIdle() && waiting.isEmpty()) {
      depart(tenure, now, effects);
    }
    tenure.limitHolds();
  }

  private void tellJeopardy(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED && tenure.inJeopardy(now.nanos()) && !tenure.jeopardyTold) {
      tenure.jeopardyTold = true;
      for (Hold hold : tenure.holds) {
        effects.add(() -> engine.told().jeopardy(this, hold));
      }
    }
  }

  // ---------------------------------------------------------------- attach, detach, close

  /** Takes over a claim that another client has left to itself; null if this queue is retired. */
  @Nullable Hold adopt(Tenure tenure, Granted grant, Moment sent) {
    Effects effects = new Effects();
    Hold hold;
    mutex.lock();
    try {
      if (retired) {
        return null;
      }
      Moment now = engine.now();
      tenure.granted(grant, sent, now.nanos());
      granted.add(tenure);
      engine.keeper().watch(tenure);
      give(tenure, tenure.requester, now, effects);
      hold = tenure.holds.get(0);
    } finally {
      mutex.unlock();
    }
    effects.run();
    return hold;
  }

  /** Ends a hold here without leaving the store. */
  void detach(Hold hold) {
    transition(
        (now, effects) -> {
          if (hold.count > 1 || hold.tenure.holds.size() > 1) {
            throw new IllegalStateException(
                "the lease on '" + name + "' is nested or shared; only a lone one can be detached");
          }
          if (hold.remaining(now) <= 0) {
            throw hold.lostException(engine.ticker());
          }
          drop(hold.tenure);
          hold.tenure.holds.clear();
          forgetThread(hold);
          hold.count = 0;
          hold.released(now.nanos());
          advance(now, effects);
        });
  }

  /** The client closes: everybody who waits is told, and every claim leaves. */
  void close(List<Tenure> leaving) {
    transition(
        (now, effects) -> {
          for (Request request : new ArrayList<>(waiting)) {
            fail(request, new IllegalStateException("the client is closed"), effects);
          }
          Tenure asked = pending;
          if (asked != null) {
            boolean unanswered = asked.phase == Phase.JOINING;
            drop(asked);
            if (unanswered) {
              effects.add(() -> engine.departures().bury(asked));
            } else {
              leaving.add(asked);
            }
          }
          for (Tenure tenure : new ArrayList<>(granted)) {
            drop(tenure);
            tenure.departure = new CompletableFuture<>();
            tenure.holds.forEach(hold -> hold.released(now.nanos()));
            leaving.add(tenure);
          }
          byThread.clear();
          leaveUnused(now, effects);
        });
  }

  Engine engine() {
    return engine;
  }

  private interface Transition {
    void run(Moment now, Effects effects);
  }

  private void transition(Transition change) {
    Effects effects = new Effects();
    mutex.lock();
    try {
      change.run(engine.now(), effects);
    } finally {
      mutex.unlock();
    }
    effects.run();
  }

  private StoreException noAnswer(String what, @Nullable Throwable cause) {
    return engine.noAnswer(what, name, cause);
  }

  private String describe(Mismatch mismatch, Tenure tenure) {
    return "'"
        + name
        + "' is in use as "
        + mismatch.kind()
        + " with capacity "
        + mismatch.capacity()
        + "; it cannot be "
        + tenure.spec.kind()
        + " with capacity "
        + tenure.spec.capacity()
        + " at the same time";
  }
}
