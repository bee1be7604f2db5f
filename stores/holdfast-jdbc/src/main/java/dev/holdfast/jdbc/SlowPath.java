package dev.holdfast.jdbc;

import static java.util.Objects.requireNonNull;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every step that has more to consider than one row: reads queues for update, removes the expired,
 * acts, promotes, writes the difference; one transaction.
 *
 * <p>Safe for any threads.
 */
final class SlowPath {

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
   * @param channel where this client itself listens, if it does: it needs no notification
   * @param promoted hears after each transaction which claims of a lock it has let in, by their ids
   * @param behindLinger hears after it which claim of this client, if it listens, is next in line
   *     behind one that lingers, by its id, and how long nothing surely changes by itself
   */
  SlowPath(
      QueueReader reader,
      @Nullable String channel,
      BiConsumer<String, List<String>> promoted,
      BiConsumer<String, Duration> behindLinger) {
    this.reader = reader;
    this.channel = channel;
    this.promoted = promoted;
    this.behindLinger = behindLinger;
  }

  JoinAnswer join(Session session, Claim claim, boolean wait) throws SQLException {
    return step(session, claim.lock(), queue -> queue.join(claim, wait));
  }

  boolean evict(Session session, String lock, long token) throws SQLException {
    return step(session, lock, queue -> queue.evict(token));
  }

  /**
   * Makes a lock free whose rows cannot be read. Its last token stays, if it can be one.
   *
   * @return whether it was such a lock
   */
  boolean discard(Session session, String lock) throws SQLException {
    return session.inTransaction(
        transaction -> {
          StoredQueue stored = reader.locked(transaction, lock);
          if (stored == null || stored.refusal() == null) {
            return false;
          }
          Dialect dialect = session.dialect();
          PreparedStatement claims = session.prepare(DELETE_CLAIMS);
          dialect.setText(claims, 1, lock);
          claims.executeUpdate();
          PreparedStatement row = session.prepare(FREE_LOCK);
          row.setLong(1, stored.lastToken());
          dialect.setText(row, 2, lock);
          row.executeUpdate();
          return true;
        });
  }

  /** Lets in whoever waits only for claims that have expired. */
  void settle(Session session, String lock) throws SQLException {
    step(session, lock, queue -> queue);
  }

  /** How each claim stands; a record that cannot be read makes only its own claims unknown. */
  Map<Claim, Standing> refresh(Session session, List<Claim> claims) throws SQLException {
    return steps(session, claims, Function.identity(), LockQueue::refresh, Unknown::new);
  }

  /** Takes claims out; a record that cannot be read makes only its own claims unknown. */
  Map<Claim, Left> leave(Session session, List<Departure> departures) throws SQLException {
    return steps(
        session, departures, Departure::claim, LockQueue::leave, unreadable -> Left.UNKNOWN);
  }

  private <R> R step(Session session, String lock, Function<LockQueue, R> act) throws SQLException {
    List<LockQueue> settled = new ArrayList<>(1);
    R answer =
        transact(
            session,
            transaction -> {
              Map<String, StoredQueue> stored = reader.forUpdate(transaction, List.of(lock));
              LockQueue queue = requireNonNull(stored.get(lock)).queue();
              queue.settle();
              R result = act.apply(queue);
              QueueWriter.write(transaction, stored.values(), channel);
              settled.add(queue);
              return result;
            });
    settled.forEach(this::tell);
    return answer;
  }

  private <T, R> Map<Claim, R> steps(
      Session session,
      List<T> items,
      Function<T, Claim> claimOf,
      BiFunction<LockQueue, T, R> act,
      Function<StoreException, R> unknown)
      throws SQLException {
    List<String> locks = items.stream().map(item -> claimOf.apply(item).lock()).toList();
    List<LockQueue> settled = new ArrayList<>();
    Map<Claim, R> answers = new HashMap<>();
    transact(
        session,
        transaction -> {
          Map<String, StoredQueue> queues = reader.forUpdate(transaction, locks);
          List<StoredQueue> readable =
              queues.values().stream().filter(stored -> stored.refusal() == null).toList();
          readable.forEach(stored -> stored.queue().settle());
          for (T item : items) {
            Claim claim = claimOf.apply(item);
            StoredQueue stored = requireNonNull(queues.get(claim.lock()));
            StoreException refusal = stored.refusal();
            answers.put(
                claim, refusal == null ? act.apply(stored.queue(), item) : unknown.apply(refusal));
          }
          QueueWriter.write(transaction, readable, channel);
          readable.forEach(stored -> settled.add(stored.queue()));
          return answers;
        });
    settled.forEach(this::tell);
    return answers;
  }

  /** Where the session takes scripts, reading begins the transaction and writing commits it. */
  private static <T> T transact(Session session, Session.Work<T> work) throws SQLException {
    return session.takesScripts() ? session.orRollback(work) : session.inTransaction(work);
  }

  private void tell(LockQueue queue) {
    if (!queue.promoted.isEmpty()) {
      promoted.accept(queue.name, queue.promoted.stream().map(entry -> entry.id).toList());
    }
    Entry next = queue.nextBehindLinger();
    if (next != null && channel != null && channel.equals(next.channel)) {
      behindLinger.accept(next.id, queue.firstExpiry());
    }
  }
}
