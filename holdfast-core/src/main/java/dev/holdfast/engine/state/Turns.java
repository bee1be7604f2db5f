package dev.holdfast.engine.state;

import dev.holdfast.LockEvent.Type;
import dev.holdfast.LossReason;
import dev.holdfast.Mode;
import dev.holdfast.engine.state.Effects.Decide;
import dev.holdfast.engine.state.Effects.Join;
import dev.holdfast.engine.state.Effects.LookAgain;
import dev.holdfast.engine.state.Effects.Refresh;
import dev.holdfast.engine.state.Effects.Rejoin;
import dev.holdfast.engine.state.Effects.Retire;
import dev.holdfast.engine.state.Effects.Signal;
import dev.holdfast.engine.state.Effects.Watch;
import dev.holdfast.engine.state.Tenure.Hint;
import dev.holdfast.engine.state.Tenure.Phase;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: which of the claims of one lock serves which of the requests. Pure functions,
 * parts of {@link Transitions}.
 */
public final class Turns {

  /** How often the head may be overtaken by running threads before it is served for certain. */
  public static final int BARGE_LIMIT = 64;

  /** How long holders that are hinted at wait for others, to be asked about in one request. */
  private static final long TOGETHER_NANOS = 1_000_000;

  private Turns() {}

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
        if (!idle.canServe(head, now, s.floor(now))) {
          Endings.depart(s, idle, now, out);
        } else if (mustSignal(idle, head, present)) {
          signal(head, out);
          return;
        } else {
          s.remove(head);
          give(s, idle, head, now, out);
        }
      } else if (!shared(s, head, now, out) && !settled(s, now, out)) {
        askFor(s, head, now, out);
        return;
      }
    }
  }

  /** Running threads may barge in before a sleeping head wakes, but not for ever. */
  private static boolean mustSignal(Tenure idle, Request head, @Nullable Request present) {
    boolean asleep = head.thread != null && head != present;
    return asleep && !idle.spares.isUnused() && head.overtaken < BARGE_LIMIT;
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
      if (t.isShared() && t.mayPassTo(head, now, s.floor(now))) {
        s.remove(head);
        give(s, t, head, now, out);
        return true;
      }
    }
    return false;
  }

  /**
   * Decides requests that do not wait for a turn: tries, and those whose limit has struck.
   *
   * @return whether one was decided, or waits for a leave now
   */
  private static boolean settled(LockState s, Moment now, Effects out) {
    if (s.tries == 0) {
      return false;
    }
    Tenure asked = s.pending;
    boolean wanted = asked != null && s.isWanted(asked);
    boolean busy = s.isKnownBusy(now);
    boolean settled = false;
    boolean leaves = false;
    for (Request r : new ArrayList<>(s.waiting)) {
      if (r.waits()) {
        continue;
      }
      if (r.expired && asked != null && !wanted && asked.spec.serves(r.spec)) {
        // The claim stands for nobody else: an answer under way decides, or else its leave does.
        if (asked.phase != Phase.JOINING && (!asked.refreshing || isHalfOver(s, r, now))) {
          s.unsettle(r, asked);
          leaves = true;
        }
      } else if (busy && !(r.expired && asked != null && asked.isAsked())) {
        s.remove(r);
        Transitions.decide(r, Request.BUSY, r.expired ? "timeout" : "busy", now, out);
        settled = true;
      }
    }
    if (leaves && asked != null) {
      Endings.withdraw(s, asked, asked.unsure, out);
    } else if (s.tries > 0 && asked != null && asked.mayBeAsked()) {
      asked.refreshing = true; // nothing is known for certain: the answer decides
      out.add(new Refresh(asked));
    }
    return settled || leaves;
  }

  private static boolean isHalfOver(LockState s, Request r, Moment now) {
    return now.nanos - r.since - r.waitNanos >= s.context.limits().operationTimeout() / 2;
  }

  /** Makes sure that the store is asked for the head, unless a running tenure may be its own. */
  private static void askFor(LockState s, Request head, Moment now, Effects out) {
    Tenure asked = s.pending;
    if (asked != null && asked.phase != Phase.JOINING && !asked.spec.serves(head.spec)) {
      Endings.withdraw(
          s, asked, false, out); // made for a request that is gone; this one wants another
      asked = null;
    }
    if (asked != null) {
      return;
    }
    if (s.cancelled > 0) {
      return; // one at a time: a caller that cancels again and again must not flood the store
    }
    if (!s.context.limits().queues() && s.holdsAlone(now)) {
      return; // the store has no place for us until our own claim leaves
    }
    for (Tenure t : s.granted) {
      if (t.spec.mode != Mode.PERMIT && t.mayPassTo(head, now, s.floor(now))) {
        if (!t.sliceTimed) {
          t.sliceTimed = true;
          out.add(new LookAgain(t.sliceEnd()));
        }
        return;
      }
    }
    join(s, head, now, out);
  }

  private static void join(LockState s, Request head, Moment now, Effects out) {
    Claim claim =
        s.context.claims().make(head, s.wantedSpares(head.spec), s.floorToSend(false, now));
    Tenure t = new Tenure(s.context.numbers().next(), s.shell, claim, head, s.context.limits());
    s.pending = t;
    send(s, t, head.waits(), now, out);
  }

  /** Joins again, on a store that cannot queue. */
  static void rejoin(LockState s, Tenure t, Moment now, Effects out) {
    send(s, t, true, now, out);
  }

  private static void send(LockState s, Tenure t, boolean waits, Moment now, Effects out) {
    t.asked(now.nanos, s.room());
    t.joining(now.nanos);
    out.add(new Watch(t)); // the answer may be overdue one day
    out.add(new Join(t, waits));
  }

  /** Nobody waits: what serves nobody leaves, and a lock without claims retires. */
  private static void leaveUnused(LockState s, Moment now, Effects out) {
    Tenure idle;
    while ((idle = s.idle()) != null) {
      Endings.depart(s, idle, now, out);
    }
    Tenure asked = s.pending;
    if (asked != null && asked.phase != Phase.JOINING) {
      Endings.withdraw(s, asked, false, out);
    }
    if (!s.retired && s.isUnused()) {
      s.retired = true;
      out.add(Retire.NOW);
    }
  }

  /** A join under way that serves nobody any more is taken back before it is answered. */
  static void buryUnwanted(LockState s, Moment now, Effects out) {
    Tenure asked = s.pending;
    if (asked != null && asked.phase == Phase.JOINING) {
      for (Request r : s.waiting) {
        if (asked.spec.serves(r.spec)) {
          return;
        }
      }
      asked.cancelled = true;
      s.cancelled++;
      Endings.bury(s, asked, out);
    }
  }

  static boolean reentered(LockState s, Request r, Moment now, Effects out) {
    Hold hold = s.heldBy(r.reentrantThread());
    if (hold == null || hold.spec.kind != r.spec.kind) {
      return false;
    }
    if (hold.remaining(now) <= 0) {
      out.add(new Decide(r, hold.lostException(now.nanos)));
    } else if (hold.enterAgain(r.spec.mode == Mode.SHARED)) {
      Transitions.keptLonger(hold, r.spec.minHoldNanos, now);
      out.add(new Decide(r, hold));
    } else if (hold.isEntered(true)) {
      out.add(new Decide(r, hold.upgradeRefused()));
    } else {
      return false; // another thread is closing its last lease
    }
    return true;
  }

  /** A running thread may take what is idle before the sleeping head wakes, but not for ever. */
  static boolean barged(LockState s, Request r, Moment now, Effects out) {
    Request head = s.waiting.peekFirst();
    if (head != null && head.overtaken >= BARGE_LIMIT) {
      return false;
    }
    for (Tenure t : s.granted) {
      boolean open = t.isIdle() || (head == null && t.isShared());
      if (open && !t.spares.isUnused() && t.canServe(r, now, s.floor(now))) {
        if (head != null) {
          head.overtaken++;
        }
        give(s, t, r, now, out);
        return true;
      }
    }
    return false;
  }

  static void give(LockState s, Tenure t, Request r, Moment now, Effects out) {
    boolean first = t.spares.isUnused();
    Hold hold = new Hold(t, r, t.spares.take(s.floor(now)), now.nanos);
    t.holds.add(hold);
    t.keepUntil(now.nanos + r.spec.minHoldNanos);
    s.addHolder(hold);
    if (hold.limited) {
      t.limitHolds();
      out.add(new Watch(t));
    }
    s.highest = Math.max(s.highest, hold.token);
    s.context.floor().see(hold.token);
    if (out.telling) {
      out.tell(first ? Type.GRANTED : Type.HANDED_OFF, hold, "", now.nanos - r.since);
      out.tell(Type.WAIT_ENDED, r, hold.token, "granted", now.nanos - r.since);
    }
    out.add(new Decide(r, hold));
  }

  static void admit(
      LockState s, Tenure t, Granted grant, Claim asked, Moment sent, Moment now, Effects out) {
    for (Tenure other : s.granted()) {
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
    t.granted(grant, asked, sent, now.nanos);
    s.granted.add(t);
    out.add(new Watch(t));
  }

  /** The store cannot queue, or the claim did not want to wait. */
  static void refused(LockState s, Tenure t, Moment sent, Moment now, Effects out) {
    Request requester = t.requester;
    if (requester != null && requester.waits() && s.waiting.contains(requester)) {
      t.queued(sent);
      t.retrying(now.nanos);
      out.add(new Rejoin(t));
      return;
    }
    Endings.drop(s, t, out);
    for (Request r : new ArrayList<>(s.waiting)) {
      // A smaller request may still fit, and one that came after the question is not answered.
      boolean answered = r.spec.weight >= t.spec.weight && r.since - sent.nanos <= 0;
      if (!r.waits() && (answered || r == requester)) {
        s.remove(r);
        Transitions.decide(r, Request.BUSY, r.expired ? "timeout" : "busy", now, out);
      }
    }
  }

  /** A hint that meets a call on its way is acted on after its answer. */
  static void hint(LockState s, Tenure t, Hint hint, Moment now, Effects out) {
    if (t.hint.compareTo(hint) < 0) {
      t.hint = hint;
      if (!t.refreshing) {
        followHint(s, t, now, out);
      }
    }
  }

  /** Waiters at once; holders together, for one event may concern many. Too many hints wait. */
  static void followHint(LockState s, Tenure t, Moment now, Effects out) {
    if (t.phase == Phase.RETRYING && t.hint != Hint.NONE) {
      t.hint = Hint.NONE;
      rejoin(s, t, now, out); // there may be room: no need to wait for the next retry
      return;
    }
    if (t.hint == Hint.NONE || (t.phase != Phase.QUEUED && t.phase != Phase.GRANTED)) {
      return;
    }
    boolean tooMany = !t.mayFollowHint(now.nanos);
    if (t.phase == Phase.QUEUED && !tooMany) {
      t.refreshing = true;
      out.add(new Refresh(t));
    } else {
      t.refreshBy(now.nanos + (tooMany ? Transitions.MIN_RETRY_NANOS : TOGETHER_NANOS));
      out.add(new Watch(t));
    }
  }
}
