package dev.holdfast.engine.state;

import dev.holdfast.engine.state.Effects.LookAgain;
import dev.holdfast.engine.state.Effects.Refresh;
import java.util.ArrayList;

/**
 * Requests that do not wait for a turn: tries, and those whose limit has struck. Pure functions,
 * parts of {@link Transitions}.
 */
final class Tries {

  private Tries() {}

  /**
   * Decides requests that do not wait for a turn: tries, and those whose limit has struck.
   *
   * @return whether one was decided, or waits for a leave now
   */
  static boolean decided(LockState s, Moment now, Effects out) {
    Tenure asked = s.pending;
    boolean wanted = asked != null && s.isWanted(asked);
    boolean busy = s.isKnownBusy(now);
    boolean awaitsOwner = asked != null && awaitsOwner(asked, now);
    boolean decided = false;
    boolean leaves = false;
    for (Request r : new ArrayList<>(s.waiting)) {
      if (r.waits) {
        continue;
      }
      if (asked != null && awaitsOwner && asked.serves(r)) {
        poll(asked, now, out);
      } else if (asked != null && (r.isExpired() || isTry(asked)) && !wanted && asked.serves(r)) {
        // The claim stands for nobody else: an answer under way decides, or else its leave does.
        if (asked.phase != Phase.JOINING
            && (!asked.refreshing || Transitions.isPatienceOver(s, r, now))) {
          s.leaves(r, asked);
          leaves = true;
        }
      } else if (busy && !(r.isExpired() && asked != null && asked.isAsked())) {
        s.remove(r);
        IllegalStateException mismatch = s.contradiction(r, now);
        if (mismatch == null) {
          Transitions.busy(r, now, out);
        } else {
          Transitions.decide(r, mismatch, "failed", now, out);
        }
        decided = true;
      }
    }
    if (leaves && asked != null) {
      Endings.withdraw(s, asked, out);
    } else if (s.tries > 0 && asked != null && !awaitsOwner && asked.mayBeAsked()) {
      asked.refreshing = true; // nothing is known for certain: the answer decides
      out.add(new Refresh(asked));
    }
    return decided || leaves;
  }

  /** {@return whether the claim ahead may be idle, and its owner still has time to answer} */
  static boolean awaitsOwner(Tenure t, Moment now) {
    return t.phase == Phase.QUEUED && t.ahead != null && t.ahead.maySoonBeFree(now);
  }

  /** {@return whether it waits only because the claim ahead may be idle} */
  private static boolean isTry(Tenure t) {
    return t.phase == Phase.QUEUED && t.ahead != null && t.ahead.tried;
  }

  /**
   * Asks the store now and then whether the claim ahead is in use, until its owner had its time.
   */
  private static void poll(Tenure asked, Moment now, Effects out) {
    Ahead ahead = asked.ahead;
    if (ahead != null && !ahead.isPolled()) {
      asked.refreshBy(ahead.nextPoll(now));
      out.add(new LookAgain(ahead.until()));
      out.change(asked);
    }
  }
}
