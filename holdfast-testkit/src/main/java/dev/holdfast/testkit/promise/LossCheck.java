package dev.holdfast.testkit.promise;

import org.jspecify.annotations.Nullable;

/** When a holder learns of a loss, and what a release says of it. */
final class LossCheck implements Check {

  @Override
  public void look(Observation o, @Nullable Life life, Facts facts, Found found) {
    if (life == null) {
      return;
    }
    if (o.what() == What.RELEASED && (life.over != null || life.lost != null)) {
      Observation over = life.over != null ? life.over : life.lost;
      found.violation(Promise.NO_QUIET_LOSS, "It was over before.", life.since(), over, o);
    }
    if (o.what() == What.LOST) {
      told(o, life, o.at(), facts, found);
    }
  }

  @Override
  public void end(long at, Facts facts, Found found) {
    for (Facts.Lock lock : facts.locks().values()) {
      for (Life life : lock.live) {
        told(null, life, at, facts, found);
      }
    }
  }

  private static void told(@Nullable Observation o, Life life, long at, Facts facts, Found found) {
    long most = facts.terms.most(facts.terms.renewEvery().toNanos());
    Observation over = life.over;
    if (over != null
        && life.releasing == null
        && life.lost == null
        && !life.disturbed
        && at - over.at() > most) {
      found.violation(
          Promise.LOSS_IN_TIME, "Its action for the loss was late.", life.since(), over, o);
    }
  }
}
