package dev.holdfast.engine;

import dev.holdfast.LeaseState;
import dev.holdfast.Registration;
import dev.holdfast.engine.Hold.Action;
import dev.holdfast.engine.Tenure.Phase;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Concurrency
 *
 * The one state machine of a lock name within a client. Every event is a transition under the
 * mutex: a request comes or gives up, the store answers, a hold is released, lost or runs out of
 * time, the client closes. What a transition decides is collected in Effects and done after the
 * mutex is let go, so no call leaves this class under it. An answer that the memory store gives at
 * once is simply the next transition.
 *
 *            join                 granted                        last hold released
 *   (none) ───────► JOINING ────────────────────► GRANTED ───────────────────────────► ENDED
 *                      │  queued              ▲      │  ▲      lost: not confirmed,      ▲
 *                      ├────────► QUEUED ─────┘      └──┘      gone, maxHold            │
 *                      │             │           passed on within the client             │
 *                      │  busy       └───────────────────────────────────────────────────┤
 *                      └────────► RETRYING ──────────────────────────────────────────────┘
 */
final class LocalQueue {

  final String name;
  private final Engine engine;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Observation observation = new Observation();

  // Mutable state, guarded by mutex
  private final Turns turns;
  private final Endings endings;
  private final Replies replies;
  private boolean retired;

  LocalQueue(String name, Engine engine) {
    this.name = name;
    this.engine = engine;
    this.turns = new Turns(this, engine);
    this.endings = new Endings(this, engine, turns);
    this.replies = new Replies(name, engine, turns, endings);
  }

  Engine engine() {
    return engine;
  }

  // ---------------------------------------------------------------- requests

  /**
   * A request comes: it enters again, takes what is idle, shares what is shared, or waits.
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
      request.since = now.nanos();
      if (!turns.holders.reenter(request, now, effects)
          && !turns.contradict(request, now, effects)
          && !turns.barge(request, now, effects)) {
        turns.waiting.enqueue(request);
        turns.advance(now, effects);
      }
    } finally {
      mutex.unlock();
    }
    effects.run();
    return true;
  }

  /**
   * Re-entry of the exclusive holder, without the mutex.
   *
   * @return null if this is not re-entry
   */
  @Nullable Hold reenter(LockSpec spec) {
    return turns.holders.reenter(spec);
  }

  /** A signalled request comes back for the tenure that was idle. */
  void retry(Request request) {
    transition(
        (now, effects) -> {
          request.signalled = false;
          turns.advance(now, effects, request);
        });
  }

  /** The slice of a running tenure has ended. */
  void lookAgain() {
    transition(turns::advance);
  }

  /**
   * A request is not wanted any more.
   *
   * @return whether it was still waiting; otherwise its decision is on the way
   */
  boolean giveUp(Request request) {
    Effects effects = new Effects();
    boolean waited;
    mutex.lock();
    try {
      waited = turns.waiting.remove(request);
      if (waited) {
        effects.add(request::gaveUp);
        effects.add(() -> engine.told().gaveUp(this, request));
        turns.advance(engine.now(), effects);
      }
    } finally {
      mutex.unlock();
    }
    effects.run();
    return waited;
  }

  /**
   * A request has waited long enough: busy if somebody is known to be ahead. If nobody is, because
   * the first answer of the store is still on its way, that answer decides.
   */
  void timeOut(Request request) {
    transition(
        (now, effects) -> {
          if (!turns.waiting.contains(request)) {
            return;
          }
          Tenure asked = turns.pending();
          if (turns.knownBusy(now)) {
            turns.waiting.remove(request);
            effects.add(request::busy);
            effects.add(() -> engine.told().gaveUp(this, request));
          } else if (asked != null && asked.phase == Phase.JOINING && request.waits()) {
            turns.waiting.expire(request);
          } else {
            turns.waiting.fail(request, engine.noAnswer("a request for", name, null), effects);
          }
          turns.advance(now, effects);
        });
  }

  @Nullable Hold heldBy(Thread thread) {
    mutex.lock();
    try {
      return turns.holders.of(thread);
    } finally {
      mutex.unlock();
    }
  }

  // ---------------------------------------------------------------- answers of the store

  /** The store has answered a join. */
  void joined(Tenure tenure, JoinAnswer answer, Moment sent) {
    transition((now, effects) -> replies.joined(tenure, answer, sent, now, effects));
  }

  /** The store has not answered a join in time. */
  void joinFailed(Tenure tenure, @Nullable Throwable cause) {
    transition((now, effects) -> replies.joinFailed(tenure, cause, now, effects));
  }

  /** It is time to try again on a store that cannot queue. */
  void rejoin(Tenure tenure) {
    transition(
        (now, effects) -> {
          if (tenure == turns.pending() && tenure.phase == Phase.RETRYING) {
            tenure.phase = Phase.JOINING;
            effects.add(() -> engine.joins().send(tenure, true, now));
          }
        });
  }

  /** The claim as it is to be refreshed now, or null when there is nothing to refresh. */
  @Nullable Claim refreshing(Tenure tenure) {
    mutex.lock();
    try {
      if (tenure.phase != Phase.QUEUED && tenure.phase != Phase.GRANTED) {
        return null;
      }
      tenure.refreshing = true;
      tenure.hinted = false;
      tenure.nextRefresh = engine.ticker().nanoTime() + tenure.repeatNanos();
      return tenure.claim.asking(turns.wantedSpares(tenure), engine.floor().seen());
    } finally {
      mutex.unlock();
    }
  }

  /** The store has answered the refresh of a claim as it was then, or not. */
  void refreshed(Tenure tenure, Claim claim, Standing standing, Moment sent) {
    transition((now, effects) -> replies.refreshed(tenure, claim, standing, sent, now, effects));
  }

  /** The store hints: our turn may have come, or what we hold may have ended. */
  void hint() {
    transition(replies::hint);
  }

  /** A claim of ours has left, or takes less: the turn of the next one may have come. */
  void roomMade() {
    transition(replies::roomMade);
  }

  // ---------------------------------------------------------------- the end of a hold

  /**
   * The last lease of a holder is released.
   *
   * @return whether the lock was ours until now
   */
  CompletableFuture<Boolean> release(Hold hold) {
    Effects effects = new Effects();
    boolean ours;
    CompletableFuture<Left> leaving;
    mutex.lock();
    try {
      ours = endings.release(hold, engine.now(), effects);
      leaving = hold.tenure.departure;
    } finally {
      mutex.unlock();
    }
    effects.run();
    // After the effects: the store may have answered by now.
    return ours && leaving != null
        ? leaving.thenApply(endings::wasOurs)
        : CompletableFuture.completedFuture(ours);
  }

  /**
   * The last write lease of a holder is released, and it reads on. Readers of this client come in
   * at once, others when the store has heard of it.
   *
   * @return whether the lock was ours until the store has
   */
  CompletableFuture<Boolean> downgrade(Hold hold) {
    Tenure tenure = hold.tenure;
    transition(
        (now, effects) -> {
          if (tenure.phase == Phase.GRANTED && !hold.isOver() && !tenure.isShared()) {
            tenure.downgrade();
            turns.holders.downgrade(hold);
            turns.advance(now, effects);
          }
        });
    return engine
        .keeper()
        .renew(tenure)
        .thenApply(
            standing -> {
              roomMade();
              return endings.stillOurs(standing);
            });
  }

  /** The holder publishes another value with its claim. */
  void publish(Hold hold, String value) {
    transition((now, effects) -> hold.tenure.claim = hold.tenure.claim.publishing(value));
  }

  /** Keeps an action for the loss of a hold, or runs it if the loss has come. */
  Registration onLost(Hold hold, Action action) {
    mutex.lock();
    try {
      Moment now = engine.now();
      if (hold.remaining(now) > 0) {
        return hold.keep(action);
      }
      if (hold.state(now) != LeaseState.LOST) {
        return Registration.NONE;
      }
    } finally {
      mutex.unlock();
    }
    engine.told().run(action);
    return Registration.NONE;
  }

  /** Changes what the mutex guards, without any effect. */
  void guarded(Runnable change) {
    mutex.lock();
    try {
      change.run();
    } finally {
      mutex.unlock();
    }
  }

  /** Looks at what time alone has done to a tenure. */
  void tick(Tenure tenure) {
    transition(
        (now, effects) -> {
          if (tenure.phase == Phase.GRANTED) {
            endings.notice(tenure, now, effects);
            turns.advance(now, effects);
          }
        });
  }

  // ---------------------------------------------------------------- attach, detach, close

  /** Takes over a claim that another client has left to itself; null if this queue is retired. */
  @Nullable Hold adopt(Tenure tenure, Granted grant, Moment sent) {
    Effects effects = new Effects();
    mutex.lock();
    try {
      if (retired) {
        return null;
      }
      Moment now = engine.now();
      tenure.requester.since = now.nanos();
      for (Tenure mine : turns.granted()) {
        if (mine.claim.equals(tenure.claim)) {
          throw new IllegalStateException("this client has attached '" + name + "' already");
        }
      }
      turns.admit(tenure, grant, sent, now);
      turns.give(tenure, tenure.requester, now, effects);
      if (engine.store().traits().pushes()) {
        effects.add(this::observe);
      }
      return tenure.holds.get(0);
    } finally {
      mutex.unlock();
      effects.run();
    }
  }

  /** Ends a hold here without leaving the store. */
  void detach(Hold hold) {
    transition(
        (now, effects) -> {
          if (hold.remaining(now) <= 0) {
            throw hold.lostException(engine.ticker());
          }
          if (hold.tenure.holds.size() > 1 || !hold.exitIfLone()) {
            throw new IllegalStateException(
                "the lease on '" + name + "' is nested or shared; only a lone one can be detached");
          }
          hold.released(now.nanos());
          effects.add(() -> engine.told().released(this, hold));
          turns.holders.forget(hold);
          turns.drop(hold.tenure);
          hold.tenure.holds.clear();
          turns.advance(now, effects);
        });
  }

  /** The client closes: everybody who waits is told, and every claim leaves but those kept. */
  void close(Set<Tenure> kept, List<Tenure> leaving) {
    transition((now, effects) -> endings.close(kept, leaving, now, effects));
  }

  /** Nothing is left: the engine forgets this queue. Called by {@link Turns}, under the mutex. */
  void retire(Effects effects) {
    retired = true;
    engine.retire(this);
    effects.add(observation::close);
  }

  /** Asks the store for hints, before the first join that a hint can be of use to. */
  void observe() {
    observation.start(engine.store(), name, this::hint);
  }

  private void transition(Transition change) {
    Effects effects = new Effects();
    mutex.lock();
    try {
      change.run(engine.now(), effects);
    } finally {
      mutex.unlock();
      effects.run();
    }
  }

  @FunctionalInterface
  private interface Transition {
    void run(Moment now, Effects effects);
  }
}
