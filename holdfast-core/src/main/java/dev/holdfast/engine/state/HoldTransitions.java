package dev.holdfast.engine.state;

import dev.holdfast.LockEvent.Type;
import dev.holdfast.PrintableText;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The events of those who hold a lock, and of the time that passes for them. Parts of {@link
 * Transitions}.
 */
public final class HoldTransitions {

  private HoldTransitions() {}

  /** The last lease of a holder is released. {@link Hold#ours} tells whether it was, until now. */
  public static void released(LockState s, Hold hold, Moment now, Effects out) {
    Tenure t = hold.tenure;
    Endings.noticeTime(s, t, now, out);
    s.removeHolder(hold);
    boolean ours = !hold.isOver();
    hold.ours = ours;
    boolean last = t.holds.remove(hold) && t.holds.isEmpty();
    int position = out.count;
    t.keepFor(hold); // also if it was lost: its work may have been done
    if (ours) {
      hold.released(now);
      t.ending = last ? hold : null; // if it leaves now, the store may answer that it was not ours
      if (last && out.telling) {
        s.ends(t);
      }
    } else if (last && t.phase == Phase.ENDED && t.left == null) {
      Endings.depart(
          s, t, now, out); // lost to us, perhaps not to the store: the next one need not wait
    }
    Transitions.advance(s, null, now, out);
    if (ours && (!last || t.left != hold.left)) {
      t.ending = null;
      s.hasEnded(t);
      hold.forgetActions();
      if (out.telling && !hold.toldReleased) {
        out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
        out.moveLastTo(position); // before what it led to
      }
    }
  }

  /** The last write lease of a holder is released, and it reads on. */
  public static void downgraded(LockState s, Hold hold, Moment now, Effects out) {
    Tenure t = hold.tenure;
    if (t.phase == Phase.GRANTED && !hold.isOver() && !t.isShared()) {
      t.downgrade();
      s.removeHolder(hold);
      s.addHolder(hold);
      Transitions.advance(s, null, now, out);
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
    hold.limit(maxHold, minHold, now);
    hold.tenure.limitHolds();
    out.change(hold.tenure);
    return true;
  }

  /** The thread that acquired the hold may not enter it again. */
  public static void unbound(LockState s, Hold hold) {
    s.removeHolder(hold);
    hold.thread = null;
  }

  /** A nested lease, or one of several, has its own minHold. */
  public static void keptUntil(Hold hold, long moment) {
    hold.minHoldUntil = moment - hold.minHoldUntil > 0 ? moment : hold.minHoldUntil;
  }

  /** A lease that nobody has seen is given back: nothing was done that the lock is kept for. */
  public static void unused(Hold hold) {
    hold.forgetMinHold();
  }

  /**
   * A lease wants to hear of the loss of its hold.
   *
   * @return false if there is none to come; then it may have come
   */
  public static boolean expected(Hold hold, Hold.Action action, Moment now) {
    boolean valid = hold.remaining(now) > 0;
    if (valid) {
      hold.keep(action);
    }
    return valid;
  }

  /** Nobody can close the hold any more: its claim is not renewed. */
  public static void abandoned(Hold hold) {
    hold.abandoned = true;
  }

  /**
   * Time has passed: acts on the deadlines of one tenure.
   *
   * @return the refresh that is due, or null
   */
  public static @Nullable Call ticked(LockState s, Tenure t, Moment now, Effects out) {
    if (t.isOverdue(now)) {
      boolean whole = t.patience == s.client.operationTimeout;
      String late = "no answer within " + t.patience / 1_000_000 + " ms, its validFor";
      Transitions.joinFailed(s, t, whole ? null : new TimeoutException(late), now, out);
    } else if (t.phase == Phase.GRANTED) {
      Endings.noticeTime(s, t, now, out);
      Transitions.advance(s, null, now, out);
    }
    return t.isRefreshDue(now) ? Transitions.refreshing(s, t, now) : null;
  }

  /** A slice may have ended, or the thread of a lost hold. */
  public static void lookedAgain(LockState s, Moment now, Effects out) {
    if (s.looking && now.nanos - s.lookAt >= 0) {
      s.looking = false;
      if (s.forgetEndedThreads()) {
        Endings.lookAtHolders(s, now, out);
      }
    }
    s.idleTimed = false;
    Transitions.advance(s, null, now, out);
  }

  // ---------------------------------------------------------------- attach, detach, close

  /**
   * Goes on with a claim that stands at the store already.
   *
   * @param asked the claim as it was refreshed then
   */
  public static Hold attached(
      LockState s,
      Request r,
      Claim claim,
      Claim asked,
      Granted grant,
      Moment sent,
      Moment now,
      Effects out) {
    for (Tenure mine : s.granted) {
      if (mine.claim.equals(claim)) {
        throw new IllegalStateException(
            "this client has attached " + PrintableText.quote(s.name) + " already");
      }
      if (mine.spec.excludes(r.spec) && grant.token() < mine.spares.token) {
        throw new IllegalStateException(
            "a later claim of this client holds " + PrintableText.quote(s.name));
      }
    }
    if (s.closed) {
      throw Transitions.closed();
    }
    r.since = now.nanos;
    Tenure t = new Tenure(s.client, claim, r);
    Transitions.granted(s, new Call(t, asked, false, sent, s.room), grant, now, out);
    Transitions.serve(s, t, r, s.floor(now), now, out);
    return t.holds.get(0);
  }

  /**
   * Ends a hold here without leaving the store.
   *
   * @return how long the lock is to stay taken
   */
  public static Duration detached(LockState s, Hold hold, Moment now, Effects out) {
    if (hold.remaining(now) <= 0) {
      throw hold.lostException(now);
    }
    if (hold.tenure.holds.size() > 1 || !hold.exitIfLone()) {
      throw new IllegalStateException(
          "the lease on "
              + PrintableText.quote(s.name)
              + " is nested or shared; only a lone one can be detached");
    }
    Duration linger = hold.tenure.linger(now);
    hold.released(now);
    hold.forgetActions();
    out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
    s.removeHolder(hold);
    Endings.drop(s, hold.tenure, out);
    hold.tenure.holds.clear();
    Transitions.advance(s, null, now, out);
    return linger;
  }

  /** The client closes: requests fail, and every claim leaves but those kept. */
  public static void clientClosed(LockState s, Set<Tenure> kept, Moment now, Effects out) {
    s.closed = true;
    fail(s, Transitions.closed(), now, out);
    if (s.pending != null) {
      Endings.withdraw(s, s.pending, out);
    }
    for (Tenure t : List.copyOf(s.granted)) {
      Endings.noticeTime(s, t, now, out);
      if (t.phase == Phase.GRANTED) {
        endedWithClient(s, t, kept.contains(t), now, out);
      }
    }
    s.removeHolders();
    Transitions.advance(s, null, now, out);
  }

  private static void endedWithClient(
      LockState s, Tenure t, boolean kept, Moment now, Effects out) {
    List<Hold> open = t.holds.stream().filter(hold -> !hold.isOver()).toList();
    for (Hold hold : open) {
      hold.released(now);
      hold.endedWithClient = true;
    }
    if (kept) {
      Endings.drop(s, t, out);
      for (Hold hold : open) {
        hold.forgetActions();
        out.tell(Type.RELEASED, hold, "", now.nanos - hold.since);
      }
    } else {
      Endings.depart(s, t, now, out);
      t.endingToo = open; // the store may answer that they were lost before
    }
  }

  /** Something unexpected went wrong with this lock: those who wait hear of it. */
  public static void fail(LockState s, RuntimeException cause, Moment now, Effects out) {
    List<Request> all = new ArrayList<>(s.waiting);
    all.addAll(s.leaving);
    s.leaving = List.of();
    for (Request r : all) {
      s.remove(r);
      Transitions.decide(r, cause, "failed", now, out);
    }
  }
}
