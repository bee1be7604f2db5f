package dev.holdfast.testkit.promise;

import org.jspecify.annotations.Nullable;

/**
 * First come, first served, between clients and in calm. Threads of one client queue within it, so
 * only an attempt before which there is no other one of its client is compared.
 */
final class OrderCheck implements Check {

  @Override
  public void look(Observation o, @Nullable Life life, Facts facts, Found found) {
    if (life == null || o.what() != What.GRANTED || !facts.terms.fair()) {
      return;
    }
    boolean alone = life.headSince == life.asked.at() && !o.isTooLate();
    if (!alone || life.brokenAt != 0) {
      return;
    }
    for (Life other : facts.lock(o.lock()).live) {
      boolean first =
          other.isWaiting()
              && other.asked.construct() != Construct.SEVERAL // perhaps it waits for another one
              && isWithinLimit(other, o.at(), facts)
              && other.brokenAt == 0
              && !other.disturbed
              && !other.isOfSameClient(life)
              && other.headSince != Long.MAX_VALUE
              && life.asked.at() - other.headSince > facts.terms.arrival().toNanos();
      if (first && life.excludes(other) && facts.calmSince() <= other.asked.at()) {
        found.violation(
            Promise.FIRST_COME,
            "Another request was made %.3f s earlier, and still waits."
                .formatted((life.asked.at() - other.headSince) / 1e9),
            other.asked,
            life.asked,
            o);
      }
    }
  }

  /** After its limit a claim may have left, though its caller does not know it yet. */
  private static boolean isWithinLimit(Life waiting, long at, Facts facts) {
    long limit = waiting.request.limit();
    return limit == Request.FOR_EVER || at - waiting.asked.at() < facts.terms.least(limit);
  }
}
