package dev.holdfast.engine.state;

import dev.holdfast.LockEvent.Type;
import dev.holdfast.LossReason;
import dev.holdfast.engine.state.Effects.Decide;
import dev.holdfast.engine.state.Effects.Refresh;
import dev.holdfast.engine.state.Effects.Rejoin;
import dev.holdfast.engine.state.Effects.Remind;
import dev.holdfast.engine.state.Effects.Watch;
import dev.holdfast.engine.state.Tenure.Hint;
import dev.holdfast.engine.state.Tenure.Phase;
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
import dev.holdfast.spi.support.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
 * A request is decided once. When its limit strikes, the answer that is under way decides; without
 * one its claim leaves, and busy is told once the store has confirmed that. All of it ends one
 * operation time-out after the limit.
 */

/**
 * The events of a lock. Each public method is one: it changes the state and collects what is to be
 * done about it.
 */
public final class Transitions {

  static final long MIN_RETRY_NANOS = 20_000_000;

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
    if (Turns.reentered(s, r, now, out)) {
      return;
    }
    out.tell(Type.WAIT_STARTED, r, 0, "", 0);
    IllegalStateException mismatch = s.contradiction(r, now);
    if (mismatch != null) {
      decide(r, mismatch, "failed", now, out);
    } else if (!Turns.barged(s, r, now, out)) {
      s.enqueue(r);
      Turns.advance(s, null, now, out);
    }
  }

  /** A signalled thread comes back for the tenure that was idle. */
  public static void cameBack(LockState s, Request r, Moment now, Effects out) {
    r.signalled = false;
    Turns.advance(s, r, now, out);
  }

  /**
   * A caller does not want the lock any more. If that makes a claim leave, {@link Request#leaving}
   * has it.
   *
   * @return whether it was undecided; otherwise its outcome is on the way
   */
  public static boolean gaveUp(LockState s, Request r, String how, Moment now, Effects out) {
    if (r.leaving != null) { // its limit had struck
      if (!s.settle(r)) {
        return false;
      }
      Turns.advance(s, null, now, out);
    } else if (s.remove(r)) {
      Tenure asked = s.pending;
      Turns.buryUnwanted(s, now, out);
      Turns.advance(s, null, now, out);
      r.leaving = asked != null && asked.phase == Phase.ENDED ? asked : null;
    } else {
      return false;
    }
    out.tell(Type.WAIT_ENDED, r, 0, how, now.nanos - r.since);
    return true;
  }

  /** A request has waited for as long as its caller wanted, or half an operation time-out more. */
  public static void limitReached(LockState s, Request r, Moment now, Effects out) {
    long end = r.since + r.waitNanos + s.context.limits().operationTimeout();
    boolean over = now.nanos - end >= 0;
    if (r.leaving != null) {
      if (!over) {
        out.add(new Remind(r, end)); // the leave was sent after the limit, and has until then
      } else if (s.settle(r)) {
        decide(r, new Unanswered(null), "unknown", now, out);
        Turns.advance(s, null, now, out);
      }
      return;
    }
    if (!s.waiting.contains(r)) {
      return;
    }
    if (over) {
      s.remove(r);
      decide(r, new Unanswered(null), "unknown", now, out);
      Turns.buryUnwanted(s, now, out);
    } else {
      s.expire(r);
    }
    Turns.advance(s, null, now, out);
    if (!over && (r.leaving != null || s.waiting.contains(r))) {
      long half = end - s.context.limits().operationTimeout() / 2;
      out.add(new Remind(r, r.leaving == null && now.nanos - half < 0 ? half : end));
    }
  }

  // ---------------------------------------------------------------- answers of the store

  /** The store has answered a join. */
  public static void joinAnswered(
      LockState s, Tenure t, JoinAnswer answer, Moment sent, Moment now, Effects out) {
    if (t != s.pending || t.phase != Phase.JOINING) {
      return; // given up on before; its leave is on the way
    }
    if (answer instanceof Granted grant) {
      Turns.admit(s, t, grant, t.claim, sent, now, out);
      Turns.followHint(s, t, now, out);
    } else if (answer instanceof Queued) {
      t.queued(sent);
      out.add(new Watch(t));
      Turns.followHint(s, t, now, out);
    } else if (answer instanceof Busy) {
      Turns.refused(s, t, sent, now, out);
    } else if (answer instanceof Mismatch mismatch) {
      Endings.drop(s, t, out);
      Request requester = t.requester;
      if (requester != null && s.remove(requester)) {
        decide(requester, t.spec.mismatch(s.name, mismatch), "failed", now, out);
      }
    }
    Turns.advance(s, null, now, out);
  }

  /** The store has failed to answer a join. A wait that it had confirmed before goes on. */
  public static void joinFailed(
      LockState s, Tenure t, @Nullable Throwable cause, Moment now, Effects out) {
    if (t != s.pending || t.phase != Phase.JOINING) {
      return;
    }
    boolean goesOn = t.known && s.isWanted(t);
    if (goesOn) {
      t.retrying(now.nanos);
      t.unsure = true;
      out.add(new Rejoin(t));
    } else {
      Endings.bury(s, t, out);
    }
    for (Request r : new ArrayList<>(s.waiting)) {
      if (!(goesOn && r.waits()) && s.remove(r)) {
        decide(r, new Unanswered(cause), "unknown", now, out);
      }
    }
    Turns.advance(s, null, now, out);
  }

  /** It is time to join again, on a store that cannot queue. */
  public static void retryDue(LockState s, Tenure t, Moment now, Effects out) {
    if (t == s.pending && t.phase == Phase.RETRYING) {
      Turns.rejoin(s, t, now, out);
    }
  }

  /**
   * A refresh is about to be sent.
   *
   * @return the claim as it is to be refreshed, or null when there is nothing to refresh
   */
  public static @Nullable Claim refreshing(LockState s, Tenure t, Moment now) {
    if (t.phase != Phase.QUEUED && t.phase != Phase.GRANTED) {
      return null;
    }
    if (t.isAbandoned()) {
      t.refreshBy(now.nanos + Tenure.NEVER);
      return null;
    }
    int spares = t == s.pending ? s.wantedSpares(t.spec) : 0;
    t.asked(now.nanos, s.room());
    return t.refreshing(now.nanos, spares, s.floorToSend(t.phase == Phase.GRANTED, now));
  }

  /** The store has answered the refresh of a claim, sent as it was then, or not. */
  public static void refreshAnswered(
      LockState s, Tenure t, Claim asked, Standing standing, Moment sent, Moment now, Effects out) {
    t.refreshing = false;
    t.silent = standing instanceof Unknown;
    if (!t.silent) {
      t.shortening.answered(asked, t.claim, now.nanos);
    }
    if (t.phase == Phase.ENDED) {
      return;
    }
    if (standing instanceof Granted grant) {
      tellRenewal(t, "confirmed", sent, now, out);
      if (t.phase != Phase.GRANTED) {
        Turns.admit(s, t, grant, asked, sent, now, out);
      } else if (t.remaining(now) <= 0 || !t.confirm(asked, sent)) {
        Endings.lose(s, t, LossReason.UNCONFIRMED, now, out); // too late: the loss may be known
      } else {
        t.spares.add(grant.spares());
        out.add(new Watch(t)); // the next refresh may be due earlier than planned
      }
      if (Objects.equals(asked.value(), t.claim.value())) {
        Turns.followHint(s, t, now, out);
      } else { // the store may have heard of the new value before the old one
        out.add(new Refresh(t));
      }
    } else if (standing instanceof Gone) {
      tellRenewal(t, "gone", sent, now, out);
      if (t.phase == Phase.GRANTED) {
        Endings.lose(s, t, LossReason.ENDED_BY_STORE, now, out);
      } else {
        Endings.drop(s, t, out); // the head joins again
      }
    } else if (standing instanceof Queued && t.phase == Phase.QUEUED) {
      t.confirm(asked, sent);
      Turns.followHint(s, t, now, out);
    } else {
      tellRenewal(t, "unknown", sent, now, out);
      // No answer: the lease stands until its deadline; until then it is tried again and again.
      t.refreshBy(now.nanos + Math.max(t.refreshNanos() / 8, MIN_RETRY_NANOS));
      out.add(new Watch(t));
    }
    Turns.advance(s, null, now, out);
  }

  /** The store has answered a leave; whoever waits for that is told. */
  public static void leaveAnswered(LockState s, Tenure t, Left left, Moment now, Effects out) {
    if (t.cancelled) {
      t.cancelled = false;
      s.cancelled--;
    }
    if (left
        == Left.UNKNOWN) { // it is repeated; the limit of those who wait for it ends their wait
      Turns.advance(s, null, now, out);
      return;
    }
    for (Request r : new ArrayList<>(s.unsettled)) {
      if (r.leaving == t) {
        s.settle(r);
        decide(r, Request.BUSY, "timeout", now, out);
      }
    }
    roomMade(s, now, out);
    Turns.advance(s, null, now, out);
  }

  /** The store hints that something has changed: it may concern any claim of this client. */
  public static void hinted(LockState s, Moment now, Effects out) {
    s.roomMade();
    if (s.pending != null) {
      Turns.hint(s, s.pending, Hint.STORE, now, out);
    }
    for (int i = 0; i < s.granted.size(); i++) {
      Turns.hint(s, s.granted.get(i), Hint.STORE, now, out);
    }
  }

  // ---------------------------------------------------------------- events of holds

  /**
   * The last lease of a holder is released.
   *
   * @return whether the lock was ours until now
   */
  public static boolean released(LockState s, Hold hold, Moment now, Effects out) {
    Tenure t = hold.tenure;
    Endings.noticeTime(s, t, now, out);
    s.removeHolder(hold);
    boolean ours = !hold.isOver();
    boolean last = t.holds.remove(hold) && t.holds.isEmpty();
    if (ours) {
      hold.released(now.nanos);
      out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
    } else if (last && t.phase == Phase.ENDED && t.left() == null) {
      Endings.depart(
          s, t, now, out); // lost to us, perhaps not to the store: the next one need not wait
    }
    Turns.advance(s, null, now, out);
    return ours;
  }

  /** The last write lease of a holder is released, and it reads on. */
  public static void downgraded(LockState s, Hold hold, Moment now, Effects out) {
    Tenure t = hold.tenure;
    if (t.phase == Phase.GRANTED && !hold.isOver() && !t.isShared()) {
      t.downgrade();
      s.removeHolder(hold);
      s.addHolder(hold);
      Turns.advance(s, null, now, out);
    }
  }

  /** A claim of this client has left, or takes less: there may be room for the next one. */
  public static void roomMade(LockState s, Moment now, Effects out) {
    s.roomMade();
    if (s.pending != null) {
      Turns.hint(s, s.pending, Hint.ROOM, now, out);
    }
  }

  /** The holder publishes another value with its claim; the next refresh tells the store. */
  public static void published(Hold hold, String value) {
    hold.tenure.claim = hold.tenure.claim.publishing(value);
  }

  /**
   * The holder wants other limits, counted from now.
   *
   * @return false if the hold is over
   */
  public static boolean extended(
      Hold hold, @Nullable Duration maxHold, Duration minHold, Moment now, Effects out) {
    if (hold.remaining(now) <= 0) {
      return false;
    }
    if (maxHold == null) {
      hold.limited = false;
    } else {
      hold.limit(now.nanos + maxHold.toNanos());
    }
    hold.tenure.keepUntil(now.nanos + minHold.toNanos());
    hold.tenure.limitHolds();
    out.add(new Watch(hold.tenure));
    return true;
  }

  /** The thread that acquired the hold may not enter it again. */
  public static void unbound(LockState s, Hold hold) {
    s.removeHolder(hold);
    hold.thread = null;
  }

  /** A nested lease has a minHold of its own. */
  public static void keptLonger(Hold hold, long minHoldNanos, Moment now) {
    hold.tenure.keepUntil(now.nanos + minHoldNanos);
  }

  /** Nobody can close the hold any more: its claim is not renewed. */
  public static void abandoned(Hold hold) {
    hold.abandoned = true;
  }

  /** Time has passed: acts on the deadlines of one tenure. */
  public static void ticked(LockState s, Tenure t, Moment now, Effects out) {
    if (t.isOverdue(now.nanos)) {
      joinFailed(s, t, null, now, out);
    } else if (t.phase == Phase.GRANTED) {
      Endings.noticeTime(s, t, now, out);
      Turns.advance(s, null, now, out);
    }
  }

  /** The slice of a running tenure has ended. */
  public static void sliceEnded(LockState s, Moment now, Effects out) {
    Turns.advance(s, null, now, out);
  }

  // ---------------------------------------------------------------- attach, detach, close

  /** Goes on with a claim that stands at the store already. */
  public static Hold attached(
      LockState s, Request r, Claim claim, Granted grant, Moment sent, Moment now, Effects out) {
    for (Tenure mine : s.granted) {
      if (mine.claim.equals(claim)) {
        throw new IllegalStateException(
            "this client has attached " + PrintableText.quote(s.name) + " already");
      }
    }
    if (s.closed) {
      throw closed();
    }
    r.since = now.nanos;
    Tenure t = new Tenure(s.context.numbers().next(), s.shell, claim, r, s.context.limits());
    Turns.admit(s, t, grant, claim, sent, now, out);
    if (t.phase != Phase.GRANTED) {
      throw new IllegalStateException(
          "a later claim of this client holds " + PrintableText.quote(s.name));
    }
    Turns.give(s, t, r, now, out);
    return t.holds.get(0);
  }

  /** Ends a hold here without leaving the store. */
  public static void detached(LockState s, Hold hold, Moment now, Effects out) {
    if (hold.remaining(now) <= 0) {
      throw hold.lostException(now.nanos);
    }
    if (hold.tenure.holds.size() > 1 || !hold.exitIfLone()) {
      throw new IllegalStateException(
          "the lease on "
              + PrintableText.quote(s.name)
              + " is nested or shared; only a lone one can be detached");
    }
    hold.released(now.nanos);
    out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
    s.removeHolder(hold);
    Endings.drop(s, hold.tenure, out);
    hold.tenure.holds.clear();
    Turns.advance(s, null, now, out);
  }

  /** The client closes: requests fail, and every claim leaves but those kept. */
  public static void clientClosed(LockState s, Set<Tenure> kept, Moment now, Effects out) {
    s.closed = true;
    fail(s, closed(), now, out);
    Tenure asked = s.pending;
    if (asked != null) {
      Endings.withdraw(s, asked, asked.phase == Phase.JOINING, out);
    }
    for (Tenure t : s.granted()) {
      for (Hold hold : t.holds) {
        if (!hold.isOver()) {
          hold.released(now.nanos);
          hold.endedWithClient = true;
          out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
        }
      }
      if (kept.contains(t)) {
        Endings.drop(s, t, out);
      } else {
        Endings.depart(s, t, now, out);
      }
    }
    s.removeHolders();
    Turns.advance(s, null, now, out);
  }

  /** Something unexpected went wrong with this lock: those who wait hear of it. */
  public static void broken(LockState s, RuntimeException cause, Moment now, Effects out) {
    fail(s, cause, now, out);
  }

  private static void fail(LockState s, RuntimeException cause, Moment now, Effects out) {
    List<Request> all = new ArrayList<>(s.waiting);
    all.addAll(s.unsettled);
    s.unsettled = List.of();
    for (Request r : all) {
      s.remove(r);
      decide(r, cause, "failed", now, out);
    }
  }

  private static void tellRenewal(Tenure t, String outcome, Moment sent, Moment now, Effects out) {
    if (out.telling && t.phase == Phase.GRANTED) {
      for (Hold hold : t.holds) {
        out.tell(Type.RENEWED, hold, outcome, now.nanos - sent.nanos);
      }
    }
  }

  static void decide(Request r, Object outcome, String how, Moment now, Effects out) {
    out.tell(Type.WAIT_ENDED, r, 0, how, now.nanos - r.since);
    out.add(new Decide(r, outcome));
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the client is closed");
  }
}
