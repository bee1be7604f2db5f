package dev.holdfast.engine.state;

import dev.holdfast.Mode;
import dev.holdfast.engine.state.Effects.LookAgain;
import dev.holdfast.engine.state.Effects.Refresh;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Claims that stay at the store though nobody holds them, because their client will probably come
 * back: until another client wants the lock, or for a short time. Pure functions, parts of {@link
 * Transitions}.
 */
public final class KeptClaims {

  private KeptClaims() {}

  /** {@return whether the next slice may follow for this request if nobody else waits} */
  static boolean mayAskForSlice(Tenure t, Request request, Moment now) {
    return t.client.tellsHolders
        && t.spec.mode == Mode.EXCLUSIVE
        && t.spec.passesTo(request.spec)
        && t.spares.used
        && t.spares.reserved()
        && !t.slice.wanted
        && !t.slice.last
        && !t.silent
        && t.isFitToPass(now);
  }

  private static boolean mayBeKept(Tenure t, Moment now) {
    return t.phase == Phase.GRANTED
        && t.spec.keepNanos > 0
        && t.claim.keepable()
        && t.spares.used
        && !t.refreshing
        && t.untilRefresh(now) > 0
        && t.slice.mayBeKept(now)
        && t.isFitToPass(now);
  }

  /**
   * Keeps an idle claim for a while, never to be renewed: the answer would say that its client
   * works, and a try that comes at that moment would end as busy.
   *
   * @return false if it is to leave
   */
  static boolean keep(LockState s, Tenure t, Moment now, Effects out) {
    if (s.closed || !mayBeKept(t, now)) {
      return false;
    }
    t.slice.keep(Math.min(t.spec.keepNanos, t.untilRefresh(now)), now);
    if (!s.idleTimed) {
      s.idleTimed = true;
      out.add(new LookAgain(t.slice.keptUntil));
    }
    return true;
  }

  /** The slice is over, or its tokens are: the store says whether others wait. */
  static void askForSlice(Tenure t, Effects out) {
    if (!t.refreshing) {
      t.slice.asking = true;
      t.refreshing = true;
      out.add(new Refresh(t));
    }
  }

  /** An idle claim leaves. One that was kept does so before anything else is asked for. */
  static void giveBack(LockState s, Tenure t, Moment now, Effects out) {
    boolean kept = t.isKept();
    Endings.depart(s, t, now, out);
    if (kept) {
      t.cancelled = true;
      s.cancelled++;
    }
  }

  /**
   * The process ends: claims that nobody holds leave.
   *
   * @return their leaves
   */
  public static List<CompletableFuture<Boolean>> exiting(LockState s, Moment now, Effects out) {
    List<CompletableFuture<Boolean>> leaves = new ArrayList<>();
    for (Tenure t : List.copyOf(s.granted)) {
      if (t.isKept()) {
        Endings.depart(s, t, now, out);
        leaves.add(Objects.requireNonNull(t.left));
      }
    }
    Transitions.advance(s, null, now, out);
    return leaves;
  }
}
