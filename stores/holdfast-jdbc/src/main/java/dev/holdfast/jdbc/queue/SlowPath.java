package dev.holdfast.jdbc.queue;

import static java.util.Objects.requireNonNull;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import dev.holdfast.spi.support.ClaimQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every step that depends on more than one row: in one transaction it reads queues for update,
 * removes expired claims, acts, promotes, and writes the difference.
 *
 * <p>Thread-safe.
 */
public final class SlowPath {

  private static final String DELETE_CLAIMS = "DELETE FROM holdfast_claim WHERE lock_name = ?";

  private static final String FREE_LOCK =
      "UPDATE holdfast_lock SET format = "
          + Schema.FORMAT
          + ", kind = 'MUTEX', capacity = 1, last_token = ?, queued = 0, claim_id = NULL,"
          + " weight = 0, token = 0, since = 0, ttl = 0, expires = 0, owner = NULL,"
          + " claim_value = NULL WHERE name = ?";

  private final QueueReader reader;
  private final @Nullable String channel;
  private final BiConsumer<String, List<String>> promoted;
  private final BiConsumer<String, Duration> behindLinger;

  /**
   * A slow path.
   *
   * @param channel where this client listens, if it does: grants by itself are not announced to it
   * @param promoted receives the lock and the ids of the claims that a transaction has granted
   * @param behindLinger receives the id of a claim of this client, if it listens, that is next
   *     behind a lingering one, and the time for which nothing can change by itself
   */
  public SlowPath(
      QueueReader reader,
      @Nullable String channel,
      BiConsumer<String, List<String>> promoted,
      BiConsumer<String, Duration> behindLinger) {
    this.reader = reader;
    this.channel = channel;
    this.promoted = promoted;
    this.behindLinger = behindLinger;
  }

  public JoinAnswer join(StoreConnection connection, Claim claim, boolean wait)
      throws SQLException {
    return step(connection, claim.lock(), queue -> queue.join(claim, wait));
  }

  public boolean evict(StoreConnection connection, String lock, long token) throws SQLException {
    return step(connection, lock, queue -> queue.evict(token));
  }

  /** Grants claims that wait only for expired ones. */
  public void promote(StoreConnection connection, String lock) throws SQLException {
    step(connection, lock, queue -> queue);
  }

  /**
   * Frees a lock whose rows cannot be read. Its last token stays if it is a valid one.
   *
   * @return whether the lock was unreadable
   */
  public boolean discard(StoreConnection connection, String lock) throws SQLException {
    return connection.inTransaction(
        transaction -> {
          LoadedQueue loaded = reader.locked(transaction, lock);
          if (loaded == null || loaded.refusal() == null) {
            return false;
          }
          Object name = connection.dialect().text(lock);
          connection.prepare(DELETE_CLAIMS, name).executeUpdate();
          connection.prepare(FREE_LOCK, loaded.lastToken(), name).executeUpdate();
          return true;
        });
  }

  /** Renews a claim. */
  public Standing refresh(StoreConnection connection, Claim claim) throws SQLException {
    return requireNonNull(refresh(connection, List.of(claim), false).get(claim));
  }

  /**
   * Renews claims; an unreadable record makes only its own claims unknown. Those are left out whose
   * lock row another transaction has locked, where the server can tell: they are to be asked alone.
   */
  public Map<Claim, Standing> refreshUnlocked(StoreConnection connection, List<Claim> claims)
      throws SQLException {
    return refresh(connection, claims, true);
  }

  private Map<Claim, Standing> refresh(
      StoreConnection connection, List<Claim> claims, boolean unlocked) throws SQLException {
    return each(connection, claims, unlocked, claim -> claim, ClaimQueue::refresh, Unknown::new);
  }

  /** Removes claims; an unreadable record makes only its own claims unknown. */
  public Map<Claim, Left> leave(StoreConnection connection, List<Departure> departures)
      throws SQLException {
    return each(
        connection, departures, false, Departure::claim, SlowPath::leave, why -> Left.UNKNOWN);
  }

  private static Left leave(ClaimQueue<ClaimRow> queue, Departure departure) {
    if (departure.tombstone()) {
      queue.addTombstone(departure.claim());
    }
    return queue.leave(departure.claim(), departure.linger());
  }

  private <R> R step(StoreConnection connection, String lock, Function<ClaimQueue<ClaimRow>, R> act)
      throws SQLException {
    return transact(
        connection,
        List.of(lock),
        false,
        queues -> act.apply(requireNonNull(queues.get(lock)).queue()));
  }

  private <T, R> Map<Claim, R> each(
      StoreConnection connection,
      List<T> items,
      boolean unlocked,
      Function<T, Claim> claimOf,
      BiFunction<ClaimQueue<ClaimRow>, T, R> act,
      Function<StoreException, R> unknown)
      throws SQLException {
    return transact(
        connection,
        items.stream().map(item -> claimOf.apply(item).lock()).toList(),
        unlocked,
        queues -> {
          Map<Claim, R> answers = new HashMap<>();
          for (T item : items) {
            Claim claim = claimOf.apply(item);
            LoadedQueue loaded = queues.get(claim.lock());
            if (loaded == null) {
              continue;
            }
            StoreException refusal = loaded.refusal();
            answers.put(
                claim, refusal == null ? act.apply(loaded.queue(), item) : unknown.apply(refusal));
          }
          return answers;
        });
  }

  private <R> R transact(
      StoreConnection connection,
      Collection<String> locks,
      boolean unlocked,
      Function<Map<String, LoadedQueue>, R> act)
      throws SQLException {
    List<LoadedQueue> written = new ArrayList<>(1);
    StoreConnection.Work<R> work =
        transaction -> {
          Map<String, LoadedQueue> queues = reader.forUpdate(transaction, locks, unlocked);
          List<LoadedQueue> readable =
              queues.values().stream().filter(loaded -> loaded.refusal() == null).toList();
          readable.forEach(LoadedQueue::settle);
          R answer = act.apply(queues);
          QueueWriter.write(transaction, readable, channel);
          written.addAll(readable);
          return answer;
        };
    // On a connection that takes scripts, reading begins the transaction and writing commits it.
    R answer =
        connection.takesScripts() ? connection.orRollback(work) : connection.inTransaction(work);
    written.forEach(this::report);
    return answer;
  }

  private void report(LoadedQueue loaded) {
    List<ClaimRow> granted = loaded.queue().promoted();
    if (!granted.isEmpty()) {
      promoted.accept(loaded.lock(), granted.stream().map(ClaimRow::id).toList());
    }
    ClaimRow next = loaded.nextBehindLinger();
    if (next != null && channel != null && channel.equals(next.channel)) {
      behindLinger.accept(next.id(), loaded.firstExpiry());
    }
  }
}
