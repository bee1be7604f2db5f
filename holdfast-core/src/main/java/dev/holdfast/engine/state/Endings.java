package dev.holdfast.engine.state;

import dev.holdfast.LockEvent.Type;
import dev.holdfast.LossReason;
import dev.holdfast.engine.state.Effects.Jeopardy;
import dev.holdfast.engine.state.Effects.Leave;
import dev.holdfast.engine.state.Effects.LookAgain;
import dev.holdfast.engine.state.Effects.Lost;
import dev.holdfast.spi.Left;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How claims and holds end: left, withdrawn, lost, or held for their maxHold. Pure functions, parts
 * of {@link Transitions}.
 */
final class Endings {

  private Endings() {}

  /** It is over on our side. */
  static void drop(LockState s, Tenure t, Effects out) {
    t.phase = Phase.ENDED;
    s.granted.remove(t);
    s.pending = t == s.pending ? null : s.pending;
    out.change(t);
  }

  /** A granted claim leaves the store; the lock stays taken until minHold is over. */
  static void depart(LockState s, Tenure t, Moment now, Effects out) {
    if (t.slice.wanted) {
      s.client.returns.wanted(s.name, now);
    } else if (t.spec.keepNanos > 0 && t.spares.used) {
      s.client.returns.left(s.name, now);
    }
    boolean starved = !t.spares.has(s.floor(now)) && t.slice.end - now.nanos > 0;
    s.demand = starved ? 2 * t.slice.passes + 1 : t.slice.passes;
    Duration linger = t.linger(now);
    leave(s, t, linger, t.mayBeLate && linger.isZero(), out);
  }

  /** A claim that was not granted leaves the store, and is kept out if its join may be late. */
  static void withdraw(LockState s, Tenure t, Effects out) {
    leave(s, t, Duration.ZERO, t.phase == Phase.JOINING || t.mayBeLate, out);
  }

  /** A claim that the store says is not there; one of its joins may still arrive. */
  static void refused(LockState s, Tenure t, Effects out) {
    if (t.mayBeLate) {
      withdraw(s, t, out);
    } else {
      drop(s, t, out);
    }
  }

  static void leave(LockState s, Tenure t, Duration linger, boolean tombstone, Effects out) {
    drop(s, t, out);
    Hold last = t.ending;
    t.left = last != null && last.left != null ? last.left : new CompletableFuture<>();
    out.add(new Leave(t, linger, tombstone));
  }

  /** A tenure is over, and with it all its holds. */
  static void lose(LockState s, Tenure t, LossReason reason, Moment now, Effects out) {
    drop(s, t, out);
    for (Hold hold : t.holds) {
      if (!hold.isOver()) {
        lose(s, hold, hold.abandoned ? LossReason.ABANDONED : reason, now, out);
      }
    }
  }

  static void lose(LockState s, Hold hold, LossReason reason, Moment now, Effects out) {
    List<Hold.Action> actions = hold.lost(reason, now);
    out.tell(Type.LOST, hold, reason.name(), now.nanos - hold.since);
    out.add(new Lost(hold, reason, actions));
    if (hold == s.heldBy(hold.thread)) { // until it is closed, or its thread has ended
      lookAtHolders(s, now, out);
    }
  }

  /** Plans a look at lost holds, one at a time: their threads may have ended by then. */
  static void lookAtHolders(LockState s, Moment now, Effects out) {
    if (!s.looking) {
      s.looking = true;
      s.lookAt = now.nanos + s.client.operationTimeout;
      out.add(new LookAgain(s.lookAt));
    }
  }

  /** The store has answered the leave that the release of this hold led to, or not. */
  static void ended(LockState s, Hold hold, Left left, Moment now, Effects out) {
    if (left == Left.GONE) {
      lose(s, hold, LossReason.ENDED_BY_STORE, now, out);
      return;
    }
    hold.forgetActions();
    if (!hold.toldReleased) {
      out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
    }
  }

  /** Before an event of another grant: publishes the releases that came before it. */
  static void tellReleased(LockState s, Moment now, Effects out) {
    for (Tenure t : s.ending) {
      Hold hold = t.ending;
      if (hold != null && !hold.toldReleased) {
        hold.toldReleased = true;
        out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
      }
    }
  }

  /** Acts on what time alone has done to a tenure. */
  static void noticeTime(LockState s, Tenure t, Moment now, Effects out) {
    if (t.phase == Phase.GRANTED && t.limited) {
      noticeMaxHold(s, t, now, out);
    }
    if (t.isIdle() && t.remaining(now) <= 0) {
      depart(s, t, now, out); // lost to us, perhaps not to the store
    }
    if (t.phase == Phase.GRANTED && !t.outstayed && t.remaining(now) <= 0) {
      lose(s, t, LossReason.UNCONFIRMED, now, out);
    }
    if (t.phase == Phase.GRANTED && t.inJeopardy(now) && !t.jeopardyTold) {
      t.jeopardyTold = true;
      for (Hold hold : t.holds) {
        if (!hold.isOver()) { // one that has outstayed its maxHold is lost, and has its claim still
          out.tell(Type.JEOPARDY, hold, "", Math.max(0, hold.remaining(now)));
          out.add(new Jeopardy(hold));
        }
      }
      out.change(t);
    }
  }

  static void noticeMaxHold(LockState s, Tenure t, Moment now, Effects out) {
    for (Hold hold : List.copyOf(t.holds)) {
      if (hold.mustTellLoss(now)) {
        lose(s, hold, LossReason.MAX_HOLD, now, out);
      }
      if (hold.mustLeave(now)) {
        t.holds.remove(hold);
        t.keepFor(hold);
      }
    }
    t.limitHolds();
    if (t.isIdle()) {
      depart(s, t, now, out); // not handed off: the store decides
    } else {
      out.change(t);
    }
  }
}
