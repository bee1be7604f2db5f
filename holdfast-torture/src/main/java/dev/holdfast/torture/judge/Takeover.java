package dev.holdfast.torture.judge;

import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How long an exclusive lock stayed without a holder after the process that held it was killed.
 *
 * @param lock which
 * @param nanos until the next grant
 * @param calm whether meanwhile the servers ran, the next holder was left alone, and nobody broke
 *     it
 */
public record Takeover(String lock, long nanos, boolean calm) {

  private static final String EVERYBODY = "*";

  /** All of a history, in the order of time. */
  static List<Takeover> of(List<Observation> observations) {
    List<Takeover> found = new ArrayList<>();
    Map<String, Observation> held = new HashMap<>(); // by attempt
    Map<String, Observation> orphaned = new HashMap<>(); // by lock: its holder was killed
    Set<String> disturbed = new HashSet<>(); // of these
    Set<String> disturbedClients = new HashSet<>(); // ever, while a lock was orphaned
    Set<String> troubled = new HashSet<>();
    boolean trouble = false;
    for (Observation o : observations) {
      String attempt = o.client() + "#" + o.attempt();
      switch (o.what()) {
        case GRANTED, ATTACHED -> {
          Observation since = orphaned.remove(o.lock());
          if (since != null) {
            boolean calm = !disturbed.remove(o.lock()) && !disturbedClients.contains(o.client());
            found.add(new Takeover(o.lock(), o.at() - since.at(), calm));
          }
          if (o.construct().isExclusive()) {
            held.put(attempt, o);
          }
        }
        case RELEASING, DOWNGRADED, DETACHED, LOST, OVER, GONE -> held.remove(attempt);
        case CRASHED -> {
          boolean calm = !trouble;
          if (orphaned.isEmpty()) {
            disturbedClients.clear();
            disturbedClients.addAll(troubled);
          }
          held.entrySet()
              .removeIf(
                  entry -> {
                    boolean his = entry.getValue().client().equals(o.client());
                    if (his) {
                      String lock = entry.getValue().lock();
                      orphaned.put(lock, o);
                      if (!calm) {
                        disturbed.add(lock);
                      }
                    }
                    return his;
                  });
        }
        case TROUBLE, CALM, PAUSED, RESUMED -> {
          boolean begins = o.what() == What.TROUBLE || o.what() == What.PAUSED;
          if (o.who().equals(EVERYBODY)) {
            trouble = begins;
            disturbed.addAll(orphaned.keySet());
          } else {
            if (begins) {
              troubled.add(o.client());
            } else {
              troubled.remove(o.client());
            }
            disturbedClients.add(o.client());
          }
        }
        case BROKE -> {
          if (orphaned.containsKey(o.lock())) {
            disturbed.add(o.lock());
          }
        }
        default -> {
          // Says nothing of who holds.
        }
      }
    }
    return found;
  }
}
