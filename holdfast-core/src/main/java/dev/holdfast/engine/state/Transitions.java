package dev.holdfast.engine.state;

import dev.holdfast.LockEvent.Type;
import dev.holdfast.LossReason;
import dev.holdfast.Mode;
import dev.holdfast.PrintableText;
import dev.holdfast.engine.state.Effects.Decide;
import dev.holdfast.engine.state.Effects.Join;
import dev.holdfast.engine.state.Effects.LookAgain;
import dev.holdfast.engine.state.Effects.Refresh;
import dev.holdfast.engine.state.Effects.Rejoin;
import dev.holdfast.engine.state.Effects.Remind;
import dev.holdfast.engine.state.Effects.Retire;
import dev.holdfast.engine.state.Effects.Signal;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * The state machine of one lock within a client. Every public method is one event: a function of
 * the state, the event and the moment that changes the state and collects effects. It calls no
 * store, clock, executor or user code, so every order of events can be tried.
 *
 *            join                 granted                        last hold released
 *   (none) ───────► JOINING ────────────────────► GRANTED ───────────────────────────► ENDED
 *                      │  queued              ▲      │  ▲      lost: not confirmed,      ▲
 *                      ├────────► QUEUED ─────┘      └──┘      gone, maxHold, replaced    │
 *                      │             │            hand-off within the client              │
 *                      │  busy       └───────────────────────────────────────────────────┤
 *                      └────────► RETRYING ──────────────────────────────────────────────┘
 *
 * A request is decided once. When its limit strikes, the answer under way decides; a refresh has a
 * quarter of the operation time-out for that. Without an answer the claim leaves, and the
 * answer is busy once the store has confirmed that. All of it ends one operation time-out after the limit.
 */

/**
 * The events of a lock. Each public method is one: it changes the state and collects what is to be
 * done about it.
 */
public final class Transitions {

  /** How often the head may be overtaken by running threads before it is served for certain. */
  public static final int BARGE_LIMIT = 64;

  private static final long MIN_RETRY_NANOS = 20_000_000;

  /** How long holders that are hinted at wait for others, to be asked about in one request. */
  private static final long TOGETHER_NANOS = 1_000_000;

  private Transitions() {}

  /** An outcome: the store has not answered. */
  public record Unanswered(@Nullable Throwable cause) {}

  // ---------------------------------------------------------------- events of requests

  /** A caller asks for the lock: re-enters, takes what is idle, shares what is shared, or waits. */
  public static void submitted(LockState s, Request r, Moment now, Effects out) {
    r.since = now.nanos;
    if (s.closed) {
      decide(r, closed(), "failed", now, out);
      return;
    }
    if (s.exclusive != null || s.others != null) {
      Hold held = r.spec.reentrant ? s.heldBy(r.thread) : null;
      if (held != null && reentered(held, r, now, out)) {
        return;
      }
    }
    if (out.telling) {
      out.tell(Type.WAIT_STARTED, r, 0, "", 0);
    }
    if (s.pending != null || !s.granted.isEmpty()) {
      IllegalStateException mismatch = s.contradiction(r, now);
      if (mismatch != null) {
        decide(r, mismatch, "failed", now, out);
        return;
      }
      if (barged(s, r, now, out)) {
        return;
      }
    }
    s.enqueue(r);
    advance(s, null, now, out);
  }

  private static boolean reentered(Hold hold, Request r, Moment now, Effects out) {
    if (hold.spec.kind != r.spec.kind) {
      return false;
    }
    if (hold.remaining(now) <= 0) {
      out.add(new Decide(r, hold.lostException(now)));
    } else if (hold.enterAgain(r.spec.mode == Mode.SHARED)) {
      HoldTransitions.keptUntil(hold, now.nanos + r.spec.minHoldNanos);
      out.add(new Decide(r, hold));
    } else if (hold.isEntered(true)) {
      // Two readers that both wait to become the writer would wait for ever.
      String why =
          "this thread reads " + PrintableText.quote(r.name) + "; close that lease before writing";
      out.add(new Decide(r, new IllegalStateException(why)));
    } else {
      return false; // another thread is closing its last lease
    }
    return true;
  }

  /** A running thread may take what is idle before the sleeping head wakes, but not for ever. */
  private static boolean barged(LockState s, Request r, Moment now, Effects out) {
    Request head = s.waiting.peekFirst();
    if (head != null && head.overtaken >= BARGE_LIMIT) {
      return false;
    }
    for (Tenure t : s.granted) {
      boolean open = t.isIdle() || (head == null && t.isShared());
      long floor = s.floor(now);
      if (open && t.spares.used && t.canServe(r, now, floor)) {
        if (head != null) {
          head.overtaken++;
        }
        serve(s, t, r, floor, now, out);
        return true;
      }
    }
    return false;
  }

  /** A signalled thread comes back for the tenure that was idle. */
  public static void cameBack(LockState s, Request r, Moment now, Effects out) {
    r.signalled = false;
    advance(s, r, now, out);
  }

  /**
   * A caller does not want the lock any more. If that makes a claim leave, {@link Request#leaving}
   * has it.
   *
   * @return whether it was undecided; otherwise its outcome is on the way
   */
  public static boolean gaveUp(LockState s, Request r, String how, Moment now, Effects out) {
    if (!s.remove(r) && !s.hasLeft(r)) {
      return false;
    }
    withdrawUnwanted(s, out);
    advance(s, null, now, out);
    Tenure left = out.left();
    r.leaving = left != null ? left : r.leaving;
    out.tell(Type.WAIT_ENDED, r, 0, how, now.nanos - r.since);
    return true;
  }

  /** A join under way that serves nobody any more is taken back before it is answered. */
  private static void withdrawUnwanted(LockState s, Effects out) {
    Tenure asked = s.pending;
    if (asked != null && asked.phase == Phase.JOINING) {
      for (Request r : s.waiting) {
        if (asked.serves(r)) {
          return;
        }
      }
      asked.cancelled = true;
      s.cancelled++;
      Endings.withdraw(s, asked, out);
    }
  }

  /** A request has waited for as long as its caller wanted, or for a while longer. */
  public static void limitReached(LockState s, Request r, Moment now, Effects out) {
    long end = r.since + r.waitNanos + s.client.operationTimeout;
    if (now.nanos - end >= 0) {
      if (s.remove(r) || s.hasLeft(r)) {
        decide(r, new Unanswered(null), "unknown", now, out);
        withdrawUnwanted(s, out);
        advance(s, null, now, out);
      }
      return;
    }
    if (s.waiting.contains(r)) {
      s.tries += r.waits ? 1 : 0;
      r.waits = false;
      advance(s, null, now, out);
    }
    if (s.waiting.contains(r) || s.leaving.contains(r)) {
      boolean late = r.leaving != null || isPatienceOver(s, r, now);
      out.add(new Remind(r, late ? end : patience(s, r)));
    }
  }

  private static long patience(LockState s, Request r) {
    return r.since + r.waitNanos + s.client.operationTimeout / 4;
  }

  /** {@return whether the answer under way has had its time: the leave needs the rest of it} */
  static boolean isPatienceOver(LockState s, Request r, Moment now) {
    return now.nanos - patience(s, r) >= 0;
  }

  // ---------------------------------------------------------------- answers of the store

  /** The store has answered a join. */
  public static void joinAnswered(
      LockState s, Call call, JoinAnswer answer, Moment now, Effects out) {
    Tenure t = call.tenure;
    if (t != s.pending || t.phase != Phase.JOINING) {
      return; // given up on before; its leave is on the way
    }
    if (answer instanceof Granted grant) {
      granted(s, call, grant, now, out);
      if (t.hint != Hint.NONE) {
        followHint(s, t, now, out);
      }
    } else if (answer instanceof Queued queued) {
      t.queued(call);
      t.heard(queued, !call.waits, now);
      s.confirm(t);
      out.change(t);
      if (t.hint != Hint.NONE) {
        followHint(s, t, now, out);
      }
    } else if (answer instanceof Busy) {
      refused(s, call, now, out);
    } else if (answer instanceof Mismatch mismatch) {
      Endings.refused(s, t, out);
      Request requester = t.requester;
      if (requester != null && s.remove(requester)) {
        decide(requester, t.spec.mismatch(s.name, mismatch), "failed", now, out);
      }
    }
    advance(s, null, now, out);
  }

  /** The store cannot queue, or the claim did not want to wait. */
  private static void refused(LockState s, Call call, Moment now, Effects out) {
    Tenure t = call.tenure;
    Request requester = t.requester;
    if (requester != null && requester.waits && s.waiting.contains(requester)) {
      t.queued(call);
      s.confirm(t);
      t.retrying(now);
      out.change(t);
      out.add(new Rejoin(t));
      return;
    }
    Endings.refused(s, t, out);
    for (Request r : new ArrayList<>(s.waiting)) {
      // A smaller request may still fit, and one that came after the question is not answered.
      boolean answered =
          t.spec.agreesWith(r.spec)
              && r.spec.weight >= t.spec.weight
              && r.since - call.sent.nanos <= 0;
      if (!r.waits && (answered || r == requester)) {
        s.remove(r);
        busy(r, now, out);
      }
    }
  }

  /** The store has failed to answer a join. A wait that it had confirmed before goes on. */
  public static void joinFailed(
      LockState s, Tenure t, @Nullable Throwable cause, Moment now, Effects out) {
    if (t != s.pending || t.phase != Phase.JOINING) {
      return;
    }
    boolean goesOn = false;
    for (Request r : s.waiting) {
      goesOn |= r.waits && r.confirmed && t.serves(r);
    }
    if (goesOn) {
      t.retrying(now);
      t.unsure = true;
      t.mayBeLate = true;
      out.change(t);
      out.add(new Rejoin(t));
    } else {
      Endings.withdraw(s, t, out);
    }
    for (Request r : new ArrayList<>(s.waiting)) {
      if (!(r.waits && r.confirmed) && s.remove(r)) {
        decide(r, new Unanswered(cause), "unknown", now, out);
      }
    }
    advance(s, null, now, out);
  }

  /** It is time to join again, on a store that cannot queue. */
  public static void retryDue(LockState s, Tenure t, Moment now, Effects out) {
    if (t == s.pending && t.phase == Phase.RETRYING) {
      rejoin(s, t, now, out);
    }
  }

  /**
   * A refresh is about to be sent.
   *
   * @return the claim as it is to be refreshed, or null when there is nothing to refresh
   */
  public static @Nullable Call refreshing(LockState s, Tenure t, Moment now) {
    if (t.phase != Phase.QUEUED && t.phase != Phase.GRANTED) {
      return null;
    }
    if (t.isAbandoned()) {
      t.refreshBy(now.nanos + Tenure.NEVER);
      Tenure.DUE.lazySet(t, t.nextMoment());
      return null;
    }
    int spares = t == s.pending ? s.wantedSpares(t.spec) : t.slice.asking ? s.sparesOfSlice(t) : 0;
    if (t == s.pending && spares > 0 && s.isKeepable(t.spec)) {
      t.claim = t.claim.keepable(true);
    }
    Call call = t.refreshing(now, s.room, spares, s.floorToSend(t.phase == Phase.GRANTED, now));
    Tenure.DUE.lazySet(t, t.nextMoment());
    return call;
  }

  /** The store has answered the refresh of a claim, or not. */
  public static void refreshAnswered(
      LockState s, Call call, Standing standing, Moment now, Effects out) {
    Tenure t = call.tenure;
    t.refreshing = false;
    t.silent = standing instanceof Unknown;
    if (!t.silent && t.shortening != null) {
      t.shortening.answered(call.claim, t.claim, now.nanos);
    }
    if (t.phase == Phase.ENDED) {
      return;
    }
    if (standing instanceof Granted grant) {
      tellRenewal("confirmed", call, now, out);
      if (t.phase != Phase.GRANTED) {
        granted(s, call, grant, now, out);
      } else if (t.remaining(now) <= 0 || !t.confirm(call)) {
        Endings.lose(s, t, LossReason.UNCONFIRMED, now, out); // too late: the loss may be known
      } else {
        t.spares.add(grant.spares());
        t.heard(grant, call);
        if (t.slice.asking && call.claim.spares() > 0) {
          t.slice.answered(t.spec, grant.spares().count() > 0, now);
        }
        out.change(t); // the next refresh may be due earlier than planned
      }
      if (Objects.equals(call.claim.value(), t.claim.value())) {
        if (t.hint != Hint.NONE) {
          followHint(s, t, now, out);
        }
      } else { // the new value may reach the store before the old one
        out.add(new Refresh(t));
      }
    } else if (standing instanceof Gone) {
      tellRenewal("gone", call, now, out);
      if (t.phase == Phase.GRANTED) {
        Endings.lose(s, t, LossReason.ENDED_BY_STORE, now, out);
      } else {
        Endings.refused(s, t, out); // the head joins again
      }
    } else if (standing instanceof Queued queued && t.phase == Phase.QUEUED) {
      t.confirm(call);
      t.heard(queued, false, now);
      s.confirm(t);
      out.change(t);
      if (t.hint != Hint.NONE) {
        followHint(s, t, now, out);
      }
    } else {
      tellRenewal("unknown", call, now, out);
      t.slice.asking = false;
      // No answer: the lease stands until its deadline; until then it is tried again and again.
      t.refreshBy(now.nanos + Math.max(t.refreshNanos() / 8, MIN_RETRY_NANOS));
      out.change(t);
    }
    advance(s, null, now, out);
  }

  /** The store has answered a leave: completes what waits for that. */
  public static void leaveAnswered(LockState s, Tenure t, Left left, Moment now, Effects out) {
    if (t.cancelled) {
      t.cancelled = false;
      s.cancelled--;
    }
    if (t.ending != null) {
      Endings.ended(s, t.ending, left, now, out);
      t.ending = null;
      s.hasEnded(t);
    }
    t.endingToo.forEach(hold -> Endings.ended(s, hold, left, now, out));
    t.endingToo = List.of();
    // Without an answer it is repeated; the limit of those who wait for it ends their wait.
    if (left != Left.UNKNOWN) {
      for (Request r : new ArrayList<>(s.leaving)) {
        if (r.leaving == t) {
          s.hasLeft(r);
          busy(r, now, out);
        }
      }
      roomMade(s, now, out);
    }
    advance(s, null, now, out);
  }

  /** The store hints that something has changed: it may concern any claim of this client. */
  public static void hinted(LockState s, Moment now, Effects out) {
    s.room++;
    if (s.pending != null) {
      hint(s, s.pending, Hint.STORE, now, out);
    }
    for (int i = s.granted.size() - 1; i >= 0; i--) {
      Tenure t = s.granted.get(i);
      if (t.isKept()) {
        t.slice.wanted = true;
        KeptClaims.giveBack(s, t, now, out); // whatever the hint means: nobody uses it
      } else {
        hint(s, t, Hint.STORE, now, out);
      }
    }
    advance(s, null, now, out);
  }

  /** A claim of this client has left, or takes less: there may be room for the next one. */
  public static void roomMade(LockState s, Moment now, Effects out) {
    s.room++; // what was asked before that does not prove that any is lacking
    if (s.pending != null && !s.awaitsOthers(s.pending)) {
      hint(s, s.pending, Hint.ROOM, now, out);
    }
  }

  /** A hint that meets a call on its way is acted on after its answer. */
  private static void hint(LockState s, Tenure t, Hint hint, Moment now, Effects out) {
    if (t.hint.compareTo(hint) < 0) {
      t.hint = hint;
      if (!t.refreshing) {
        followHint(s, t, now, out);
      }
    }
  }

  /**
   * Waiters at once, and holders that may be wanted; other holders together, for one event may
   * concern many. Too many hints wait.
   */
  private static void followHint(LockState s, Tenure t, Moment now, Effects out) {
    if (t.phase == Phase.RETRYING) {
      t.hint = Hint.NONE;
      rejoin(s, t, now, out); // there may be room: no need to wait for the next retry
    } else if (t.phase == Phase.QUEUED || t.phase == Phase.GRANTED) {
      boolean tooMany = !t.mayFollowHint(now);
      if ((t.phase == Phase.QUEUED || t.claim.keepable()) && !tooMany) {
        t.refreshing = true;
        out.add(new Refresh(t));
      } else {
        t.refreshBy(now.nanos + (tooMany ? MIN_RETRY_NANOS : TOGETHER_NANOS));
        out.change(t);
      }
    }
  }

  // ---------------------------------------------------------------- whose turn it is

  /**
   * Does whatever can be done for the head.
   *
   * @param present a request whose thread is here, so that it need not be signalled
   */
  static void advance(LockState s, @Nullable Request present, Moment now, Effects out) {
    while (true) {
      Request head = s.waiting.peekFirst();
      if (head == null) {
        leaveUnused(s, now, out);
        return;
      }
      Tenure idle = s.idle();
      if (idle != null) {
        long floor = s.floor(now);
        if (idle.slice.asking) {
          return; // the answer tells whether others wait
        } else if (!idle.canServe(head, now, floor)) {
          if (KeptClaims.mayAskForSlice(idle, head, now)) {
            KeptClaims.askForSlice(idle, out);
            return;
          }
          KeptClaims.giveBack(s, idle, now, out);
        } else if (head.thread != null
            && head != present
            && idle.spares.used
            && head.overtaken < BARGE_LIMIT) {
          signal(head, out); // running threads may barge in before it wakes, but not for ever
          return;
        } else {
          s.waiting.removeFirst();
          s.tries -= head.waits ? 0 : 1;
          serve(s, idle, head, floor, now, out);
        }
      } else if (!((!s.granted.isEmpty() && shared(s, head, now, out))
          || (s.tries > 0 && Tries.decided(s, now, out)))) {
        askFor(s, head, now, out);
        return;
      }
    }
  }

  private static void signal(Request head, Effects out) {
    if (!head.signalled) {
      head.signalled = true;
      out.add(new Signal(head));
    }
  }

  /** Readers at the head join the readers that run, within the slice. */
  private static boolean shared(LockState s, Request head, Moment now, Effects out) {
    for (Tenure t : s.granted) {
      long floor = s.floor(now);
      if (t.isShared() && t.mayPassTo(head, now, floor)) {
        s.remove(head);
        serve(s, t, head, floor, now, out);
        return true;
      }
    }
    return false;
  }

  /** Makes sure that the store is asked for the head, unless a running tenure may be its own. */
  private static void askFor(LockState s, Request head, Moment now, Effects out) {
    Tenure asked = s.pending;
    if (asked != null && asked.phase != Phase.JOINING && !asked.serves(head)) {
      Endings.withdraw(s, asked, out); // made for a request that is gone; this one wants another
      asked = null;
    }
    if (asked != null) {
      return;
    }
    if (s.cancelled > 0) {
      return; // one at a time: a caller that cancels again and again must not flood the store
    }
    if (!s.client.queues && s.holdsAlone(now)) {
      return; // the store has no place for us until our own claim leaves
    }
    for (Tenure t : s.granted) {
      if (t.spec.mode != Mode.PERMIT && t.mayPassTo(head, now, s.floor(now))) {
        if (!t.slice.timed && (t.slice.wanted || !s.client.tellsHolders)) {
          t.slice.timed = true;
          out.add(new LookAgain(t.slice.end));
        }
        return;
      }
      if (KeptClaims.mayAskForSlice(t, head, now)) {
        return; // after its release, if nobody else wants the lock
      }
    }
    boolean hot =
        head.spec.keepNanos > 0
            && s.client.tellsHolders
            && s.client.returns.cameBack(s.name, head.spec.keepNanos, now);
    boolean alone = s.waiting.size() == 1 && s.granted.isEmpty();
    int spares = hot ? Slice.PASSES : alone ? 0 : s.wantedSpares(head.spec);
    Claim claim = s.client.claims.make(head, spares, s.floorToSend(false, now));
    s.pending = new Tenure(s.client, claim.keepable(spares > 0 && s.isKeepable(head.spec)), head);
    s.pending.slice.hot = hot;
    join(s, s.pending, head.waits, now, out);
  }

  /** Joins again, with the floor that was raised since. */
  private static void rejoin(LockState s, Tenure t, Moment now, Effects out) {
    long floor = Math.max(t.claim.floor(), s.floorToSend(false, now));
    t.claim = t.claim.asking(t.claim.spares(), floor);
    join(s, t, true, now, out);
  }

  private static void join(LockState s, Tenure t, boolean waits, Moment now, Effects out) {
    Call call = t.joining(waits, now, s.room);
    out.change(t); // the answer may be overdue one day
    out.add(new Join(call));
  }

  /** Nobody waits: what serves nobody leaves, and a lock without claims retires. */
  private static void leaveUnused(LockState s, Moment now, Effects out) {
    for (int i = s.granted.size() - 1; i >= 0; i--) {
      Tenure t = s.granted.get(i);
      if (t.isIdle() && !KeptClaims.keep(s, t, now, out)) {
        Endings.depart(s, t, now, out);
      }
    }
    if (s.pending != null && s.pending.phase != Phase.JOINING) {
      Endings.withdraw(s, s.pending, out);
    }
    if (s.granted.isEmpty() && !s.retired && s.isUnused()) {
      s.retired = true;
      out.add(Retire.NOW);
    }
  }

  /** The store has granted a claim of ours. */
  static void granted(LockState s, Call call, Granted grant, Moment now, Effects out) {
    Tenure t = call.tenure;
    for (int i = s.granted.size() - 1; i >= 0; i--) {
      Tenure other = s.granted.get(i);
      if (t.spec.excludes(other.spec)) {
        // The store grants one of them only after the other has ended, whatever we heard first.
        if (grant.token() < other.spares.token) {
          Endings.drop(s, t, out);
          return;
        }
        Endings.lose(s, other, LossReason.REPLACED, now, out);
      }
    }
    s.pending = t == s.pending ? null : s.pending;
    if (t.hint == Hint.ROOM) {
      t.hint = Hint.NONE; // what it was hinted at has come true
    }
    t.granted(grant, call, now);
    s.granted.add(t);
    out.change(t);
  }

  /** A request gets its hold on a granted claim: the first one's, or by hand-off. */
  static void serve(LockState s, Tenure t, Request r, long floor, Moment now, Effects out) {
    boolean first = !t.spares.used;
    Hold hold = new Hold(t, r, t.spares.take(floor), now);
    t.holds.add(hold);
    t.slice.kept = false;
    t.slice.passes += first ? 0 : 1;
    s.addHolder(hold);
    if (r.spec.maxHoldNanos != Long.MAX_VALUE) {
      t.limitHolds();
      out.change(t);
    }
    s.highest = Math.max(s.highest, hold.token);
    if (s.client.seen.get() < hold.token) {
      s.client.seen.accumulateAndGet(hold.token, Math::max);
    }
    if (out.telling) {
      Endings.tellReleased(s, now, out);
      out.tell(first ? Type.GRANTED : Type.HANDED_OFF, hold, "", now.nanos - r.since);
      out.tell(Type.WAIT_ENDED, r, hold.token, "granted", now.nanos - r.since);
    }
    out.add(new Decide(r, hold));
  }

  static void busy(Request r, Moment now, Effects out) {
    decide(r, Request.BUSY, r.isExpired() ? "timeout" : "busy", now, out);
  }

  static void decide(Request r, Object outcome, String how, Moment now, Effects out) {
    out.tell(Type.WAIT_ENDED, r, 0, how, now.nanos - r.since);
    out.add(new Decide(r, outcome));
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the client is closed");
  }

  private static void tellRenewal(String outcome, Call call, Moment now, Effects out) {
    Tenure t = call.tenure;
    if (out.telling && t.phase == Phase.GRANTED) {
      for (Hold hold : t.holds) {
        if (!hold.isOver()) {
          out.tell(Type.RENEWED, hold, outcome, now.nanos - call.sent.nanos);
        }
      }
    }
  }
}
