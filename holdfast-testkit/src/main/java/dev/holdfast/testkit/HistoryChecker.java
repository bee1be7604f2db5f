package dev.holdfast.testkit;

import dev.holdfast.testkit.History.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Proves that a history broke none of these, or shows where it did:
 *
 * <ol>
 *   <li><b>Exclusion.</b> The weights of the clients that believe they hold a lock never exceed its
 *       capacity.
 *   <li><b>Tokens differ.</b> No two grants of a lock have the same token.
 *   <li><b>Tokens rise.</b> A grant that was asked for after another had ended has the greater
 *       token. Of two grants that exclude each other, the one reported later has.
 * </ol>
 *
 * <p>Two grants that share the lock may be reported in another order than the store made them, so
 * nothing is said about those.
 */
public final class HistoryChecker {

  private static final int SHOWN = 60;

  private final List<Event> events;

  // Mutable state
  private final Map<String, LockState> locks = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  private HistoryChecker(List<Event> events) {
    this.events = events;
  }

  /** Everything that is wrong with a history, in order. */
  public static List<String> violations(List<Event> events) {
    HistoryChecker checker = new HistoryChecker(events);
    events.forEach(checker::follow);
    return checker.violations;
  }

  /** Fails with the first violation, headed by the title and followed by what led there. */
  public static void check(String title, List<Event> events) {
    List<String> found = violations(events);
    if (!found.isEmpty()) {
      throw new AssertionError(title + ": " + found.get(0));
    }
  }

  private void follow(Event event) {
    LockState lock = locks.computeIfAbsent(event.lock(), name -> new LockState());
    switch (event.type()) {
      case ATTEMPT -> lock.floors.put(event.number(), lock.highestEnded);
      case GRANTED -> grant(lock, event);
      case RELEASED, LOST -> {
        if (lock.held.remove(event.number()) != null) {
          lock.highestEnded = Math.max(lock.highestEnded, event.token());
        }
      }
      case GAVE_UP, UNKNOWN -> lock.floors.remove(event.number());
    }
  }

  private void grant(LockState lock, Event event) {
    long weight = event.weight();
    for (Event other : lock.held.values()) {
      weight += other.weight();
    }
    if (weight > event.capacity()) {
      violation(event, "exclusion is broken, together with " + lock.held.values());
    }
    if (!lock.tokens.add(event.token())) {
      violation(event, "the token was given before");
    }
    Long floor = lock.floors.remove(event.number());
    if (floor != null && event.token() <= floor) {
      violation(event, "the token is not greater than that of a hold that had ended: " + floor);
    }
    lock.highestByWeight.forEach(
        (other, highest) -> {
          if ((long) other + event.weight() > event.capacity() && event.token() <= highest) {
            violation(event, "the token is not greater than that of an earlier grant: " + highest);
          }
        });
    lock.highestByWeight.merge(event.weight(), event.token(), Math::max);
    lock.held.put(event.number(), event);
  }

  private void violation(Event event, String what) {
    int end = events.indexOf(event) + 1;
    List<Event> before =
        events.subList(0, end).stream().filter(e -> e.lock().equals(event.lock())).toList();
    StringBuilder text = new StringBuilder(what).append("\n");
    for (Event earlier : before.subList(Math.max(0, before.size() - SHOWN), before.size())) {
      text.append("  ").append(earlier).append("\n");
    }
    violations.add(text.toString());
  }

  private static final class LockState {
    final Map<Integer, Event> held = new HashMap<>();
    final Map<Integer, Long> floors = new HashMap<>();
    final Map<Integer, Long> highestByWeight = new HashMap<>();
    final Set<Long> tokens = new HashSet<>();
    long highestEnded;
  }
}
