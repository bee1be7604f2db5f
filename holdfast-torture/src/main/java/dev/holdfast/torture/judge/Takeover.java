package dev.holdfast.torture.judge;

import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How long an exclusive lock stayed without a holder after the process that held it was killed.
 *
 * @param lock which
 * @param nanos until the next grant
 * @param calm whether meanwhile the servers ran, nobody broke it, and the next holder was left
 *     alone, as were those who had asked before it: the store may have granted it to one that stood
 *     still
 */
public record Takeover(String lock, long nanos, boolean calm) {

  private static final String EVERYBODY = "*";

  /** All of a history, in the order of time. */
  static List<Takeover> of(List<Observation> observations) {
    List<Takeover> found = new ArrayList<>();
    Map<String, Observation> held = new HashMap<>(); // by attempt
    Map<String, Observation> waiting = new HashMap<>(); // by attempt
    Map<String, Observation> orphaned = new HashMap<>(); // by lock: its holder was killed
    Set<String> disturbed = new HashSet<>(); // of these
    Set<String> disturbedClients = new HashSet<>(); // ever, while a lock was orphaned
    Set<String> troubled = new HashSet<>();
    boolean trouble = false;
    for (Observation o : observations) {
      String attempt = o.client() + "#" + o.attempt();
      switch (o.what()) {
        case ASKED -> waiting.put(attempt, o);
        case BUSY, CANCELLED, REFUSED -> waiting.remove(attempt);
        case UNKNOWN -> {
          waiting.remove(attempt);
          if (orphaned.containsKey(o.lock())) {
            disturbed.add(o.lock()); // its claim may still be in the queue
          }
        }
        case GRANTED, ATTACHED -> {
          Observation asked = waiting.remove(attempt);
          Observation since = orphaned.remove(o.lock());
          if (since != null) {
            boolean calm =
                !disturbed.remove(o.lock())
                    && !disturbedClients.contains(o.client())
                    && Collections.disjoint(ahead(waiting, asked), disturbedClients);
            found.add(new Takeover(o.lock(), o.at() - since.at(), calm));
          }
          if (o.construct().isExclusive()) {
            held.put(attempt, o);
          }
        }
        case RELEASING, DOWNGRADED, DETACHED, LOST, OVER, GONE -> held.remove(attempt);
        case CRASHED -> {
          waiting.values().removeIf(asked -> asked.client().equals(o.client()));
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

  /** The clients that had asked for the same lock before, and still wait. */
  private static Set<String> ahead(Map<String, Observation> waiting, @Nullable Observation asked) {
    return waiting.values().stream()
        .filter(o -> asked != null && o.lock().equals(asked.lock()) && o.at() < asked.at())
        .map(Observation::client)
        .collect(Collectors.toSet());
  }
}
