package dev.holdfast.etcd;

import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that is watched, and who listens to it, from which revision on. Not thread-safe: {@link
 * Watches} guards it.
 */
final class Watch {

  /** Hears what happened to what it watches. Any threads. */
  interface Listener {

    /** A key was put or deleted. */
    void happened(Event event);

    /** What happens now will be heard late: the stream is opened anew. */
    void interrupted();

    /** Something may have happened unseen, and nothing more will be heard. */
    void forgotten();

    /** It may not watch that, and nothing more will be heard. */
    void refused();
  }

  private final Scope scope;

  // Mutable state
  private long start;
  private final Map<Listener, Long> listeners = new HashMap<>(2); // mostly one, for each lease
  private @Nullable Event last;

  Watch(Scope scope, long start) {
    this.scope = scope;
    this.start = start;
  }

  Scope scope() {
    return scope;
  }

  boolean isIdle() {
    return listeners.isEmpty();
  }

  /** Whether it misses nothing from this revision on. */
  boolean covers(long revision) {
    return start <= revision;
  }

  /** Returns what this one has missed although it wants to hear of it; or null. */
  @Nullable Event add(Listener listener, long revision) {
    listeners.put(listener, revision);
    return last != null && last.getKv().getModRevision() >= revision ? last : null;
  }

  void remove(Listener listener) {
    listeners.remove(listener);
  }

  /** Nobody listens to it any more. Returns those who did. */
  List<Listener> clear() {
    List<Listener> gone = List.copyOf(listeners.keySet());
    listeners.clear();
    return gone;
  }

  /** This one has nothing to hear of what was before this revision. */
  void reached(Listener listener, long revision) {
    listeners.merge(listener, revision, Math::max);
  }

  /** All that was before this revision has been heard. */
  void reached(long revision) {
    listeners.replaceAll((listener, before) -> Math.max(before, revision));
  }

  /** Asks the server for it, from where nobody who listens misses anything. */
  WatchRequest request() {
    start = Collections.min(listeners.values());
    WatchCreateRequest.Builder create =
        WatchCreateRequest.newBuilder()
            .setKey(scope.first())
            .setRangeEnd(scope.after())
            .setStartRevision(start)
            .setProgressNotify(true); // so that one on which nothing happens does not grow old
    if (scope.deletionsOnly()) {
      create.addFilters(WatchCreateRequest.FilterType.NOPUT);
    }
    return WatchRequest.newBuilder().setCreateRequest(create).build();
  }

  /**
   * What each listener wants to hear of this, and has not heard. Several may be of one revision.
   */
  Map<Listener, List<Event>> hear(List<Event> events) {
    Map<Listener, List<Event>> heard = new HashMap<>();
    listeners.forEach(
        (listener, from) ->
            heard.put(
                listener,
                events.stream().filter(event -> event.getKv().getModRevision() >= from).toList()));
    if (!events.isEmpty()) {
      last = events.get(events.size() - 1);
      reached(last.getKv().getModRevision() + 1);
    }
    return heard;
  }
}
