package dev.holdfast.consul;

import dev.holdfast.StoreException;
import dev.holdfast.consul.Transport.Answer;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
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

  /** The longest ttl that Consul gives to a session. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final long FAREWELL_MILLIS = 1_000;

  private final Calls calls;
  private final Keys keys;
  private final Vigil vigil;
  private final Ticker ticker;
  private final ConcurrentHashMap<Duration, SessionClass> classes = new ConcurrentHashMap<>();
  // Also of those out of use: they may live on for a while, and a join on them come.
  private final ConcurrentHashMap<Session, Boolean> doubtful = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Duration, Graveyard> graveyards = new ConcurrentHashMap<>();

  Sessions(Calls calls, Keys keys, Vigil vigil, Ticker ticker) {
    this.calls = calls;
    this.keys = keys;
    this.vigil = vigil;
    this.ticker = ticker;
  }

  SessionClass of(Duration ttl) {
    return classes.computeIfAbsent(
        rounded(ttl), time -> new SessionClass(time, calls, keys, vigil, ticker));
  }

  /** The id of a session that is never renewed, but lasts so long from now: for tombstones. */
  CompletableFuture<String> graveyard(Duration time, Deadline deadline) {
    Duration least = rounded(time);
    Graveyard fresh = newGraveyard(least, deadline);
    long by = ticker.nanoTime() + deadline.remainingNanos();
    Graveyard used =
        graveyards.compute(
            least, (same, known) -> known != null && known.canBeUsed(by) ? known : fresh);
    if (used.equals(
        fresh)) { // not within the map: what is under way may end here, and come back to it
      open(fresh, deadline);
    }
    return used.session;
  }

  /** They may have been destroyed: the next tombstone gets a new one. */
  void leaveGraveyards() {
    graveyards.clear();
  }

  boolean isOurs(String id) {
    return current().stream().anyMatch(session -> session.id().equals(id));
  }

  /** A join on this session was not answered: it may still come. */
  void doubt(Session session) {
    doubtful.compute(
        session,
        (same, known) -> {
          session.doubt();
          return true;
        });
  }

  /** No join of ours that was not answered can take effect once this is done. */
  CompletableFuture<Void> turnAwayDoubtful(Deadline deadline) {
    return CompletableFuture.allOf(
        doubtful.keySet().stream()
            .map(session -> turnAway(session, deadline))
            .toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> turnAway(Session session, Deadline deadline) {
    return (session.isDoubtful()
            ? session.turnAway(deadline)
            : CompletableFuture.completedFuture(true))
        .thenAccept(
            alive ->
                doubtful.computeIfPresent(
                    session, (same, known) -> alive && session.isDoubtful() ? known : null));
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

  // It lasts for longer, so that it can be used for a while: there may be many tombstones.
  private Graveyard newGraveyard(Duration least, Deadline deadline) {
    Duration enough = rounded(least.multipliedBy(2).plus(deadline.remaining()));
    Duration ttl = enough.compareTo(LONGEST) > 0 ? LONGEST : enough;
    return new Graveyard(
        ttl, new CompletableFuture<>(), ticker.nanoTime() + ttl.minus(least).toNanos());
  }

  private void open(Graveyard fresh, Deadline deadline) {
    var unused =
        Session.create(fresh.ttl.toSeconds(), calls, deadline)
            .whenComplete(
                (id, failure) -> {
                  if (failure == null) {
                    fresh.session.complete(id);
                  } else {
                    fresh.session.completeExceptionally(failure);
                  }
                });
  }

  private List<Session> current() {
    return classes.values().stream()
        .map(SessionClass::current)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  /**
   * A session for tombstones.
   *
   * @param until when a tombstone must be on it, or it would not last long enough
   */
  private record Graveyard(Duration ttl, CompletableFuture<String> session, long until) {

    boolean canBeUsed(long by) {
      return by - until < 0 && !session.isCompletedExceptionally();
    }
  }

  static Duration rounded(Duration ttl) {
    return Duration.ofSeconds(ttl.plusNanos(999_999_999).toSeconds());
  }
}
