package dev.holdfast.engine;

import dev.holdfast.Mode;
import dev.holdfast.engine.Tenure.Phase;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: which of the tenures of one name serves which of the requests. Not thread-safe:
 * {@link LocalQueue} guards it, and does what lands in the {@link Effects}.
 *
 * <p>At any time the head of the waiting requests is in one of two situations: <i>expecting</i>, a
 * granted tenure of ours can still be passed on to it; or <i>pending</i>, a tenure made for it
 * stands at the store. There is at most one pending tenure, and any number of granted ones: one for
 * a mutex, several for a semaphore.
 */
final class Turns {

  /** How often the head may be overtaken by running threads before it is served for certain. */
  static final int BARGE_LIMIT = 64;

  private final LocalQueue queue;
  private final Engine engine;
  final Waiting waiting = new Waiting();
  final Holders holders;

  // Mutable state
  private final List<Tenure> granted = new ArrayList<>(1);
  private @Nullable Tenure pending;
  private @Nullable Moment roomMade;
  private @Nullable Tenure sliceTimed;
  private int demand;

  Turns(LocalQueue queue, Engine engine) {
    this.queue = queue;
    this.engine = engine;
    this.holders = new Holders(engine);
  }

  /** A running thread may take what is idle before the sleeping head wakes, but not for ever. */
  boolean barge(Request request, Moment now, Effects effects) {
    Request head = waiting.head();
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

  /** Does whatever can be done for the head. */
  void advance(Moment now, Effects effects) {
    advance(now, effects, null);
  }

  /**
   * Does whatever can be done for the head.
   *
   * @param present a request whose thread is here, so that it need not be signalled
   */
  void advance(Moment now, Effects effects, @Nullable Request present) {
    while (true) {
      Request head = waiting.head();
      if (head == null) {
        leaveUnused(now, effects);
        return;
      }
      Tenure idle = idle();
      if (idle != null) {
        if (settle(idle, head, present, now, effects)) {
          continue;
        }
        return;
      }
      if (share(head, now, effects)) {
        continue;
      }
      if (waiting.hasTries() && knownBusy(now)) {
        waiting.refuseTries(1, now, effects);
        continue;
      }
      withdrawUnfit(head, now, effects);
      if (!expects(head, now, effects) && pending == null) {
        join(head, now, effects);
      }
      return;
    }
  }

  /**
   * Decides what becomes of a tenure that nobody runs on.
   *
   * @return whether it is settled; otherwise the head comes back for it, or its tokens are awaited
   */
  private boolean settle(
      Tenure idle, Request head, @Nullable Request present, Moment now, Effects effects) {
    if (idle.replenishing && idle.wouldPassTo(head, now)) {
      return false;
    }
    if (idle.canServe(head, now)) {
      boolean asleep = head.comesBack() && head != present;
      if (asleep && !idle.isUnused() && head.overtaken < BARGE_LIMIT) {
        signal(head, effects);
        return false;
      }
      waiting.remove(head);
      give(idle, head, now, effects);
      return true;
    }
    if (!idle.hasToken() && idle.wouldPassTo(head, now)) {
      replenish(idle, now, effects);
      return false;
    }
    depart(idle, now, effects);
    return true;
  }

  /** What waits at the store for a request that is gone is of no use to one that wants another. */
  private void withdrawUnfit(Request head, Moment now, Effects effects) {
    Tenure asked = pending;
    if (asked != null && asked.phase != Phase.JOINING && !asked.spec.serves(head.spec)) {
      withdraw(asked, now, effects);
    }
  }

  private void withdraw(Tenure asked, Moment now, Effects effects) {
    drop(asked);
    effects.add(() -> engine.departures().leave(asked, Duration.ZERO, now));
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
  private boolean share(Request head, Moment now, Effects effects) {
    for (Tenure tenure : granted) {
      if (tenure.isShared() && tenure.wouldPassTo(head, now) && !tenure.replenishing) {
        if (tenure.hasToken()) {
          waiting.remove(head);
          give(tenure, head, now, effects);
          return true;
        }
        replenish(tenure, now, effects);
      }
    }
    return false;
  }

  /** Whether the head can hope for a tenure that is running now; asked again at the slice's end. */
  private boolean expects(Request head, Moment now, Effects effects) {
    for (Tenure tenure : granted) {
      if (tenure.spec.mode != Mode.PERMIT && tenure.wouldPassTo(head, now)) {
        lookAgainAtSliceEnd(tenure, now, effects);
        return true;
      }
    }
    return false;
  }

  private void lookAgainAtSliceEnd(Tenure tenure, Moment now, Effects effects) {
    if (sliceTimed != tenure) {
      sliceTimed = tenure;
      Duration left = Duration.ofNanos(tenure.sliceEnd() - now.nanos());
      effects.add(() -> engine.ticker().schedule(left, queue::lookAgain));
    }
  }

  void give(Tenure tenure, Request request, Moment now, Effects effects) {
    Hold hold = new Hold(tenure, request, tenure.takeToken(), now.nanos());
    tenure.holds.add(hold);
    tenure.keepUntil(now.nanos() + request.spec.minHoldNanos);
    holders.add(hold);
    if (hold.isLimited()) {
      tenure.limitHolds();
      engine.keeper().wakeBy(tenure.nextMoment());
    }
    engine.floor().see(hold.token);
    effects.add(
        () -> {
          engine.told().acquired(queue, hold, request);
          request.granted(hold);
        });
  }

  /** A request that wants the lock to be what it is not is refused. Whether it was one. */
  boolean contradict(Request request, Moment now, Effects effects) {
    if (granted.isEmpty() && pending == null) {
      return false;
    }
    Tenure known = isKnownToWait(now) ? pending : null;
    for (Tenure tenure : granted) {
      known = tenure.remaining(now) > 0 ? tenure : known;
    }
    if (known == null || known.spec.agreesWith(request.spec)) {
      return false;
    }
    IllegalStateException mismatch = request.spec.mismatch(queue.name, known.spec);
    effects.add(() -> request.failed(mismatch));
    return true;
  }

  private boolean isKnownToWait(Moment now) {
    // What was heard long ago proves nothing: a place in the queue may have died unnoticed.
    return pending != null && pending.isHeardOf(now) && pending.isHeardOfSince(roomMade);
  }

  /** Somebody may have made room: what was asked before that does not prove that any is lacking. */
  void roomMade(Moment now) {
    roomMade = now;
  }

  /** Whether somebody is certainly ahead of a new request. */
  boolean knownBusy(Moment now) {
    if (isKnownToWait(now)) {
      return true;
    }
    for (Tenure tenure : granted) {
      if (tenure.spec.mode == Mode.EXCLUSIVE && tenure.remaining(now) > 0) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- tenures

  @Nullable Tenure pending() {
    return pending;
  }

  List<Tenure> granted() {
    return new ArrayList<>(granted);
  }

  private void join(Request head, Moment now, Effects effects) {
    Tenure tenure =
        new Tenure(queue, head.spec, engine.joins().claim(queue.name, head, wantedSpares()), head);
    pending = tenure;
    effects.add(() -> engine.joins().send(tenure, head.waits(), now));
  }

  /** One for each other request that waits here, or as many as the last slice has used. */
  private int wantedSpares() {
    int others = waiting.size() - 1;
    return others <= 0 ? 0 : Math.min(Tenure.SLICE_PASSES, Math.max(others, demand));
  }

  /** How many tokens to reserve with the refresh of this tenure. */
  int wantedSpares(Tenure tenure) {
    if (tenure == pending) {
      return wantedSpares();
    }
    int left = Tenure.SLICE_PASSES - tenure.passes;
    int wanted = Math.max(1, Math.min(left, Math.max(waiting.size(), tenure.passes)));
    return tenure.replenishing ? wanted : 0;
  }

  /** Asks for more tokens. Should the store be silent, it decides again at the slice's end. */
  private void replenish(Tenure tenure, Moment now, Effects effects) {
    tenure.replenishing = true;
    lookAgainAtSliceEnd(tenure, now, effects);
    effects.add(() -> engine.keeper().refreshNow(tenure));
  }

  /** The store has let it in. */
  void admit(Tenure tenure, Granted grant, Moment sent, Moment now) {
    pending = tenure == pending ? null : pending;
    tenure.granted(grant, sent, now.nanos());
    granted.add(tenure);
    engine.keeper().watch(tenure);
  }

  /** It is over on our side. */
  void drop(Tenure tenure) {
    tenure.phase = Phase.ENDED;
    engine.keeper().forget(tenure);
    granted.remove(tenure);
    pending = tenure == pending ? null : pending;
  }

  /** Leaves the store without waiting for the answer; stays taken until minHold is over. */
  void depart(Tenure tenure, Moment now, Effects effects) {
    demand = tenure.passes;
    drop(tenure);
    CompletableFuture<Left> departure = new CompletableFuture<>();
    tenure.departure = departure;
    Duration linger = tenure.linger(now.nanos());
    effects.add(() -> engine.departures().leave(tenure, linger, now));
  }

  /** Nobody waits: what serves nobody leaves, and an empty queue retires. */
  private void leaveUnused(Moment now, Effects effects) {
    Tenure idle;
    while ((idle = idle()) != null) {
      depart(idle, now, effects);
    }
    Tenure asked = pending;
    if (asked != null && asked.phase != Phase.JOINING) {
      withdraw(asked, now, effects);
    }
    if (granted.isEmpty() && pending == null && holders.isEmpty()) {
      queue.retire(effects);
    }
  }
}
