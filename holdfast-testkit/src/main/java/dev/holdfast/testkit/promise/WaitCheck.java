package dev.holdfast.testkit.promise;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How long callers wait, what they learn in the end, and for how long a lock stays taken. */
final class WaitCheck implements Check {

  @Override
  public void look(Observation o, @Nullable Life life, Facts facts, Found found) {
    if (life != null) {
      switch (o.what()) {
        case GRANTED -> {
          takenOver(o, o.at(), life, facts, found);
          handedOver(o, o.at(), life, facts, found);
          limited(o, o.at(), life, facts, found);
          kept(o, life, facts, found);
        }
        case BUSY -> {
          limited(o, o.at(), life, facts, found);
          busy(o, life, facts, found);
        }
        case UNKNOWN -> {
          limited(o, o.at(), life, facts, found);
          unknown(o, life, facts, found);
        }
        default -> {}
      }
    } else if (o.what() == What.FOUND) {
      found.violation(Promise.NOTHING_IS_LEFT, "The store has: " + o.text(), o);
    }
  }

  @Override
  public void end(long at, Facts facts, Found found) {
    for (Facts.Lock lock : facts.locks().values()) {
      for (Life life : List.copyOf(lock.live)) {
        if (life.isWaiting()) {
          takenOver(null, at, life, facts, found);
          handedOver(null, at, life, facts, found);
          limited(null, at, life, facts, found);
        }
      }
    }
  }

  private static void takenOver(
      @Nullable Observation o, long at, Life life, Facts facts, Found found) {
    Facts.Lock lock = facts.lock(life.asked.lock());
    if (life.disturbed || facts.calmSince() == Long.MAX_VALUE || lock.isHeld()) {
      return;
    }
    // Several locks are granted one after the other, and reported together.
    if (lock.live.stream().anyMatch(it -> it.asked.construct() == Construct.SEVERAL)) {
      return;
    }
    long since = Math.max(Math.max(lock.freeSince, life.asked.at()), facts.calmSince());
    if (at - since > facts.terms.most(facts.terms.takeover().toNanos())) {
      found.violation(
          Promise.TAKEOVER,
          "Nobody has held it for %.3f s.".formatted((at - since) / 1e9),
          life.asked,
          o);
    }
  }

  /**
   * Only while nothing is out of order for anybody concerned, and the store has no trace of those
   * who were there before, but for a claim that is kept.
   */
  private static void handedOver(
      @Nullable Observation o, long at, Life life, Facts facts, Found found) {
    Facts.Lock lock = facts.lock(life.asked.lock());
    if (lock.isHeld() || facts.terms.handOver().equals(facts.terms.takeover())) {
      return;
    }
    long since = Math.max(Math.max(lock.freeSince, life.asked.at()), facts.settled(Facts.ALL));
    for (Life other : lock.live) {
      Construct construct = other.asked.construct();
      // Several locks wait for others, too, and a candidate rests before it stands again.
      if (construct == Construct.SEVERAL || construct == Construct.LEADER) {
        return;
      }
      since = Math.max(since, facts.settled(other.client()));
    }
    for (Life other : lock.past) {
      since = Math.max(since, other.tracesUntil);
    }
    if (at - since > facts.terms.most(facts.terms.handOver().toNanos())) {
      found.violation(
          Promise.KEPT_IS_GIVEN_BACK,
          "Nobody has held it for %.3f s.".formatted((at - lock.freeSince) / 1e9),
          life.asked,
          o);
    }
  }

  private static void limited(
      @Nullable Observation o, long at, Life life, Facts facts, Found found) {
    long limit = life.request.limit();
    if (limit == Request.FOR_EVER || life.disturbed || facts.isPaused(life.client())) {
      return;
    }
    // Of several locks, each request may be silent that long.
    int silences = life.asked.construct() == Construct.SEVERAL ? 4 : 1;
    long most = facts.terms.most(limit + silences * facts.terms.operationTimeout().toNanos());
    if (at - life.asked.at() > most) {
      found.violation(
          Promise.LIMITS, "It took %.3f s.".formatted((at - life.asked.at()) / 1e9), life.asked, o);
    }
  }

  private static void busy(Observation o, Life life, Facts facts, Found found) {
    Facts.Lock lock = facts.lock(o.lock());
    boolean several = o.construct() == Construct.SEVERAL; // one of the others may have been taken
    boolean taken = several || lock.live.stream().anyMatch(other -> other != life);
    // One that does not hear when a kept claim is given back learns of it too late for its limit.
    boolean hears = facts.isCalm(life.client(), life.asked.at());
    long kept = hears ? 0 : facts.terms.most(facts.terms.keeps().toNanos());
    for (Life other : lock.past) {
      taken |= other.tracesUntil + (other.released ? kept : 0) >= life.asked.at();
    }
    if (!taken) {
      found.violation(Promise.BUSY_IS_TRUE, "Nobody else was there.", life.asked, o);
    }
  }

  private static void unknown(Observation o, Life life, Facts facts, Found found) {
    long earlier = life.asked.at() - 2 * facts.terms.operationTimeout().toNanos();
    if (!life.disturbed && facts.isCalm(life.client(), earlier)) {
      found.violation(Promise.UNKNOWN_IS_TRUE, "The store answers.", life.asked, o);
    }
  }

  private static void kept(Observation o, Life life, Facts facts, Found found) {
    for (Life other : facts.lock(o.lock()).past) {
      boolean ours = other.released && other.over == null && other.brokenAt == 0;
      if (ours && life.excludes(other) && o.at() < other.keptUntil) {
        List<Observation> shown = new ArrayList<>();
        shown.add(other.asked);
        shown.add(other.since());
        shown.add(o);
        found.violation(
            Promise.MIN_HOLD,
            "It was to stay taken for %.3f s more.".formatted((other.keptUntil - o.at()) / 1e9),
            shown.toArray(new Observation[0]));
      }
    }
  }
}
