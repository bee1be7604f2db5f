package dev.holdfast.consul;

import dev.holdfast.consul.Queries.Query;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Notices when a session has ended, as when it is destroyed by hand, and tells all who hold a lock
 * on it: one blocking query for them all. What it says is a hint only. Any threads.
 */
final class Vigil {

  /** How many sessions are looked at; if there are more, they take turns. */
  static final int SESSIONS = 4;

  private final Queries queries;
  private final Consumer<Duration> wake;
  private final ConcurrentHashMap<Duration, Watched> byTtl = new ConcurrentHashMap<>();

  // Mutable state
  private volatile boolean closed;

  /** Tells those who hold on the session of this ttl. */
  Vigil(Queries queries, Consumer<Duration> wake) {
    this.queries = queries;
    this.wake = wake;
  }

  /** The session of a ttl, and the query for it. */
  private record Watched(String session, Query query) {}

  /** Over this session from now on, if not already, instead of the one of this ttl before it. */
  void over(String session, Duration ttl) {
    Watched known = byTtl.get(ttl);
    if (known != null && known.session.equals(session)) {
      return;
    }
    Watched watched = new Watched(session, queryFor(session, ttl));
    Watched before = byTtl.put(ttl, watched);
    if (before != null) {
      before.query.end();
    }
    watched.query.start();
    if (closed) {
      close();
    }
  }

  void close() {
    closed = true;
    byTtl.values().forEach(watched -> watched.query.end());
  }

  private Query queryFor(String session, Duration ttl) {
    return queries.of(
        "/v1/session/info/" + session + "?consistent",
        0,
        answer -> {
          boolean over = !answer.body().contains(session);
          if (over) {
            byTtl.computeIfPresent(
                ttl, (same, watched) -> watched.session.equals(session) ? null : watched);
            wake.accept(ttl);
          }
          return over;
        },
        () -> {});
  }
}
