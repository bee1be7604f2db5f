package dev.holdfast.consul;

import dev.holdfast.StoreException;
import dev.holdfast.consul.Transport.Answer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The sessions of a client: one for each ttl, in whole seconds. Any threads. */
final class Sessions {

  private static final System.Logger LOG = System.getLogger(Sessions.class.getName());
  private static final long FAREWELL_MILLIS = 1_000;

  private final Calls calls;
  private final Keys keys;
  private final ConcurrentHashMap<Duration, SessionClass> classes = new ConcurrentHashMap<>();

  Sessions(Calls calls, Keys keys) {
    this.calls = calls;
    this.keys = keys;
  }

  SessionClass of(Duration ttl) {
    return classes.computeIfAbsent(rounded(ttl), time -> new SessionClass(time, calls, keys));
  }

  /** The id of a session that is never renewed, for what has to last so long and no longer. */
  CompletableFuture<String> single(Duration time, Deadline deadline) {
    return Session.create(rounded(time).toSeconds(), calls, deadline);
  }

  boolean isOurs(String id) {
    return current().stream().anyMatch(session -> session.id().equals(id));
  }

  /** No join of ours that was sent before can take effect once this is done. */
  CompletableFuture<Void> turnAwayAll() {
    return CompletableFuture.allOf(
        current().stream().map(Session::turnAway).toArray(CompletableFuture[]::new));
  }

  /** Ends them all at once, instead of after their ttl. Waits a moment, so that it gets through. */
  void destroy() {
    List<CompletableFuture<Answer>> ends = new ArrayList<>();
    current().forEach(session -> ends.add(session.destroy()));
    try {
      CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]))
          .get(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException | StoreException e) {
      LOG.log(Level.DEBUG, "Sessions end by their ttl, not now", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Session> current() {
    return classes.values().stream()
        .map(SessionClass::current)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  private static Duration rounded(Duration ttl) {
    return Duration.ofSeconds(ttl.plusNanos(999_999_999).toSeconds());
  }
}
