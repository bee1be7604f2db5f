package dev.holdfast.leased.watch;

import dev.holdfast.leased.KeyWatches.Listener;
import dev.holdfast.leased.KeyWatches.Target;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one target, with its listeners and the revision from which on each of them listens.
 * Not thread-safe: {@link StreamWatches} guards it.
 */
final class Watch {

  /** Until the server has numbered it. */
  static final long NO_NUMBER = -1;

  final Target target;

  // Mutable state
  long number = NO_NUMBER;
  private long start;
  private final Map<Listener, Long> listeners = new HashMap<>(2); // mostly one, for each lease
  private @Nullable Change last;

  Watch(Target target, long start) {
    this.target = target;
    this.start = start;
  }

  boolean isIdle() {
    return listeners.isEmpty();
  }

  /**
   * @return true if it misses nothing from this revision on
   */
  boolean covers(long revision) {
    return start <= revision;
  }

  /**
   * @return the change that this listener has missed, null if there is none
   */
  @Nullable Change add(Listener listener, long revision) {
    listeners.put(listener, revision);
    return last != null && last.revision() >= revision ? last : null;
  }

  void remove(Listener listener) {
    listeners.remove(listener);
  }

  /** Removes all listeners and returns them. */
  List<Listener> clear() {
    List<Listener> removed = List.copyOf(listeners.keySet());
    listeners.clear();
    return removed;
  }

  /** Nothing before this revision concerns this listener. */
  void reached(Listener listener, long revision) {
    listeners.merge(listener, revision, Math::max);
  }

  /** All changes before this revision have been delivered. */
  void reached(long revision) {
    listeners.replaceAll((listener, before) -> Math.max(before, revision));
  }

  /**
   * It is requested from the server now.
   *
   * @return a revision from which on no listener misses anything
   */
  long start() {
    number = NO_NUMBER;
    start = Collections.min(listeners.values());
    return start;
  }

  /**
   * @return which of these changes each listener has not received; several may be of one revision
   */
  Map<Listener, List<Change>> undelivered(List<Change> changes) {
    Map<Listener, List<Change>> undelivered = new HashMap<>();
    listeners.forEach(
        (listener, from) ->
            undelivered.put(
                listener, changes.stream().filter(change -> change.revision() >= from).toList()));
    if (!changes.isEmpty()) {
      last = changes.get(changes.size() - 1);
      reached(last.revision() + 1);
    }
    return undelivered;
  }
}
