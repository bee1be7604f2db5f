package dev.holdfast.engine;

import dev.holdfast.engine.Hold.Action;
import dev.holdfast.engine.Tenure.Phase;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * How holds end: released, lost because the tenure is over, lost because they outstayed their
 * maxHold, or closed with the client. Not thread-safe: {@link LocalQueue} guards it, and does what
 * lands in the {@link Effects}.
 */
final class Endings {

  static final String UNCONFIRMED = "it was not confirmed in time";
  static final String ENDED_BY_STORE = "the store has ended it";
  private static final String OUTSTAYED = "it was held for its maxHold";

  private final LocalQueue queue;
  private final Engine engine;
  private final Turns turns;

  Endings(LocalQueue queue, Engine engine, Turns turns) {
    this.queue = queue;
    this.engine = engine;
    this.turns = turns;
  }

  /** The last lease of a holder is released. Whether the lock was ours until now. */
  boolean release(Hold hold, Moment now, Effects effects) {
    notice(hold.tenure, now, effects);
    if (hold.isOver()) {
      cleanUp(hold, now, effects);
      return false;
    }
    turns.holders.forget(hold);
    hold.tenure.holds.remove(hold);
    hold.released(now.nanos());
    effects.add(() -> engine.told().released(queue, hold));
    turns.advance(now, effects);
    return true;
  }

  /**
   * The client closes: everybody who waits is told, and every claim is to leave. One that is kept
   * leaves when its lease is closed.
   */
  void close(Set<Tenure> kept, List<Tenure> leaving, Moment now, Effects effects) {
    for (Request request : turns.waiting.all()) {
      turns.waiting.fail(request, new IllegalStateException("the client is closed"), effects);
    }
    Tenure asked = turns.pending();
    if (asked != null && asked.phase == Phase.JOINING) {
      effects.add(() -> engine.departures().bury(asked, now));
      turns.drop(asked);
    } else if (asked != null) {
      leaving.add(asked);
      turns.drop(asked);
    }
    for (Tenure tenure : turns.granted()) {
      releaseAll(tenure, now, effects);
      turns.drop(tenure);
      if (!kept.contains(tenure)) {
        tenure.departure = new CompletableFuture<>();
        leaving.add(tenure);
      }
    }
    turns.holders.forgetAll();
    turns.advance(now, effects);
  }

  private void releaseAll(Tenure tenure, Moment now, Effects effects) {
    for (Hold hold : tenure.holds) {
      if (!hold.isOver()) {
        hold.released(now.nanos());
        effects.add(() -> engine.told().released(queue, hold));
      }
    }
  }

  /** What the store's answer to the leave of a released hold means. */
  boolean wasOurs(Left left) {
    if (left == Left.UNKNOWN) {
      throw engine.noAnswer("the release of", queue.name, null);
    }
    return left == Left.LEFT;
  }

  /** What the store's answer to the refresh of a downgraded hold means. */
  boolean stillOurs(Standing standing) {
    if (standing instanceof Unknown unknown) {
      throw engine.noAnswer("the downgrade of", queue.name, unknown.cause());
    }
    return standing instanceof Granted;
  }

  /** Lost to us, perhaps not to the store: leaving lets the next one in earlier. */
  private void cleanUp(Hold hold, Moment now, Effects effects) {
    Tenure tenure = hold.tenure;
    turns.holders.forget(hold);
    boolean last = tenure.holds.remove(hold) && tenure.holds.isEmpty();
    if (last && tenure.departure == null) {
      turns.depart(tenure, now, effects);
    }
    turns.advance(now, effects);
  }

  /** A tenure is over, and with it all its holds. */
  void lose(Tenure tenure, String reason, Moment now, Effects effects) {
    turns.drop(tenure);
    for (Hold hold : tenure.holds) {
      tellLoss(hold, reason, now, effects);
    }
  }

  private void tellLoss(Hold hold, String reason, Moment now, Effects effects) {
    if (!hold.isOver()) {
      List<Action> actions = hold.lost(reason, now.nanos());
      effects.add(() -> engine.told().lost(queue, hold, reason, actions));
    }
  }

  /** Acts on what time alone has done to a tenure. */
  void notice(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED && tenure.remaining(now) <= 0) {
      lose(tenure, UNCONFIRMED, now, effects);
    }
    if (tenure.phase == Phase.GRANTED && tenure.isLimited()) {
      outstay(tenure, now, effects);
    }
    tellJeopardy(tenure, now, effects);
  }

  private void outstay(Tenure tenure, Moment now, Effects effects) {
    for (Hold hold : List.copyOf(tenure.holds)) {
      if (hold.mustTellLoss(now.nanos())) {
        tellLoss(hold, OUTSTAYED, now, effects);
      }
      if (hold.mustLeave(now.nanos())) {
        tenure.holds.remove(hold);
      }
    }
    tenure.limitHolds();
    if (tenure.isIdle()) {
      turns.depart(tenure, now, effects); // not passed on: the store decides
    }
  }

  private void tellJeopardy(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED && tenure.inJeopardy(now.nanos()) && !tenure.jeopardyTold) {
      tenure.jeopardyTold = true;
      for (Hold hold : tenure.holds) {
        effects.add(() -> engine.told().jeopardy(queue, hold));
      }
    }
  }
}
