package dev.holdfast.torture.report;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lease as a history shows it.
 *
 * @param from when it was reported
 * @param to when it was given back, lost, or last called itself valid
 * @param end what ended it; null if its process was killed or the history ended
 */
record Hold(
    String lock,
    String who,
    Construct construct,
    long token,
    long from,
    long to,
    @Nullable What end) {

  /** All holds of a history, in the order of their begin. */
  static List<Hold> of(List<Observation> observations) {
    List<Hold> holds = new ArrayList<>();
    Map<String, Hold> open = new HashMap<>();
    for (Observation o : observations) {
      String attempt = o.client() + "#" + o.attempt();
      switch (o.what()) {
        case GRANTED, ATTACHED ->
            open.put(
                attempt,
                new Hold(o.lock(), o.who(), o.construct(), o.token(), o.at(), o.until(), null));
        case VALID -> open.computeIfPresent(attempt, (key, hold) -> hold.until(o.until(), null));
        case RELEASING, DETACHED, LOST, OVER, GONE -> {
          Hold hold = open.remove(attempt);
          if (hold != null) {
            holds.add(hold.until(Math.min(hold.to, o.at()), o.what()));
          }
        }
        default -> {
          // Neither begins nor ends a hold.
        }
      }
    }
    holds.addAll(open.values());
    holds.sort(Comparator.comparingLong(Hold::from));
    return holds;
  }

  /** {@return what a reader wants to know of it} */
  String text() {
    return "%s %s %s token %d, %.3f s, %s"
        .formatted(
            who,
            construct,
            lock,
            token,
            (to - from) / 1e9,
            end == null ? "never given back" : end.toString());
  }

  private Hold until(long moment, @Nullable What ended) {
    return new Hold(lock, who, construct, token, from, moment, ended);
  }
}
