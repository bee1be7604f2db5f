package dev.holdfast.engine;

import dev.holdfast.engine.Tenure.Phase;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Mismatch;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the store's answers mean for a tenure. Not thread-safe: {@link LocalQueue} guards it, and
 * does what lands in the {@link Effects}.
 */
final class Replies {

  private static final long MIN_RETRY_NANOS = 20_000_000;

  /** How long holders that are hinted at wait for others, to be asked about in one request. */
  private static final long TOGETHER_NANOS = 1_000_000;

  private final String name;
  private final Engine engine;
  private final Turns turns;
  private final Endings endings;

  Replies(String name, Engine engine, Turns turns, Endings endings) {
    this.name = name;
    this.engine = engine;
    this.turns = turns;
    this.endings = endings;
  }

  void joined(Tenure tenure, JoinAnswer answer, Moment sent, Moment now, Effects effects) {
    if (tenure != turns.pending()) {
      return; // given up on before; its leave is on the way
    }
    if (answer instanceof Granted grant) {
      turns.admit(tenure, grant, sent, now);
    } else if (answer instanceof Queued) {
      tenure.queued(sent);
      engine.keeper().watch(tenure);
      refreshIfHinted(tenure, now, effects);
    } else if (answer instanceof Busy) {
      turnedAway(tenure, sent, effects);
    } else if (answer instanceof Mismatch mismatch) {
      turns.drop(tenure);
      turns.waiting.fail(tenure.requester, tenure.spec.mismatch(name, mismatch), effects);
    }
    turns.advance(now, effects);
  }

  private void turnedAway(Tenure tenure, Moment sent, Effects effects) {
    Request requester = tenure.requester;
    if (requester.waits() && turns.waiting.contains(requester)) {
      tenure.queued(sent);
      tenure.phase = Phase.RETRYING;
      effects.add(() -> engine.joins().repeatLater(tenure));
    } else {
      turns.drop(tenure);
      turns.waiting.refuseTries(tenure.spec.weight, sent, effects);
    }
  }

  /** No answer to a join: everybody who waits for it is told, and the claim is buried. */
  void joinFailed(Tenure tenure, @Nullable Throwable cause, Moment now, Effects effects) {
    if (tenure != turns.pending()) {
      return;
    }
    turns.drop(tenure);
    effects.add(() -> engine.departures().bury(tenure, now));
    for (Request request : turns.waiting.all()) {
      turns.waiting.fail(request, engine.unanswered(name, cause), effects);
    }
    turns.advance(now, effects);
  }

  void refreshed(
      Tenure tenure, Claim claim, Standing standing, Moment sent, Moment now, Effects effects) {
    boolean asked = tenure.replenishing && claim.spares() > 0;
    tenure.refreshing = false;
    if (asked) { // the answer to an earlier one says nothing about tokens
      tenure.replenishing = false;
    }
    if (tenure.phase == Phase.ENDED) {
      return;
    }
    if (standing instanceof Granted grant) {
      confirmed(tenure, grant, sent, now, effects);
      tenure.sparesRefused = asked && !tenure.hasToken();
      refreshIfHinted(tenure, now, effects);
      refreshIfOutdated(tenure, claim, effects);
    } else if (standing instanceof Gone) {
      gone(tenure, now, effects);
    } else if (standing instanceof Queued && tenure.phase == Phase.QUEUED) {
      tenure.confirm(sent);
      refreshIfHinted(tenure, now, effects);
    } else {
      refreshSoon(tenure, now);
      if (asked && tenure.isIdle()) {
        turns.depart(tenure, now, effects); // no tokens to pass it on with
      }
    }
    turns.advance(now, effects);
  }

  private void confirmed(Tenure tenure, Granted grant, Moment sent, Moment now, Effects effects) {
    if (tenure.phase != Phase.GRANTED) {
      turns.admit(tenure, grant, sent, now);
    } else if (tenure.remaining(now) <= 0 || !tenure.confirm(sent)) {
      endings.lose(tenure, Endings.UNCONFIRMED, now, effects); // too late: the loss may be known
    } else {
      tenure.addSpares(grant.spares());
    }
  }

  /** The store may have heard of the new value before it heard of the old one again. */
  private void refreshIfOutdated(Tenure tenure, Claim claim, Effects effects) {
    if (!Objects.equals(claim.value(), tenure.claim.value())) {
      effects.add(() -> engine.keeper().refreshNow(tenure));
    }
  }

  private void gone(Tenure tenure, Moment now, Effects effects) {
    if (tenure.phase == Phase.GRANTED) {
      endings.lose(tenure, Endings.ENDED_BY_STORE, now, effects);
    } else {
      turns.drop(tenure); // the head joins anew
    }
  }

  /** No answer: the lease stands until its deadline; until then it is tried again and again. */
  private void refreshSoon(Tenure tenure, Moment now) {
    tenure.nextRefresh = now.nanos() + Math.max(tenure.refreshNanos() / 8, MIN_RETRY_NANOS);
    engine.keeper().wakeBy(tenure.nextMoment());
  }

  /** The store hints: the turn of who waits may have come, or else what we hold may have ended. */
  void hint(Moment now, Effects effects) {
    if (turns.pending() != null) {
      roomMade(now, effects);
    } else {
      turns.granted().forEach(tenure -> hint(tenure, now, effects));
    }
  }

  /** A claim of ours has left, or takes less: the turn of the next one may have come. */
  void roomMade(Moment now, Effects effects) {
    turns.roomMade(now);
    Tenure asked = turns.pending();
    if (asked != null) {
      hint(asked, now, effects);
    }
  }

  /** A hint that meets a call on its way is acted on after its answer. */
  private void hint(Tenure tenure, Moment now, Effects effects) {
    if (!tenure.hinted) {
      tenure.hinted = true;
      if (!tenure.refreshing) {
        refreshIfHinted(tenure, now, effects);
      }
    }
  }

  /** Waiters at once; holders together, for one event may concern many. Too many hints wait. */
  private void refreshIfHinted(Tenure tenure, Moment now, Effects effects) {
    if (!tenure.hinted) {
      return;
    }
    boolean tooMany = !tenure.mayFollowHint(now.nanos());
    if (tenure.phase == Phase.QUEUED && !tooMany) {
      effects.add(() -> engine.keeper().refreshNow(tenure));
    } else if (tenure.phase == Phase.QUEUED || tenure.phase == Phase.GRANTED) {
      tenure.nextRefresh = now.nanos() + (tooMany ? MIN_RETRY_NANOS : TOGETHER_NANOS);
      engine.keeper().wakeBy(tenure.nextRefresh);
    }
  }
}
