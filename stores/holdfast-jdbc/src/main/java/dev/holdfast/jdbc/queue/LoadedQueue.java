package dev.holdfast.jdbc.queue;

import dev.holdfast.Kind;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.sql.DbClock;
import dev.holdfast.jdbc.sql.OwnerCodec;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.support.ClaimQueue;
import dev.holdfast.spi.support.ClaimRecord.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue that was read from its rows, with what was read, so that only the difference is written
 * back. Not thread-safe: it lives for one transaction.
 */
public final class LoadedQueue {

  private final ClaimQueue<ClaimRow> queue;
  private final boolean exists;
  private final int claimRows;
  private final Kind kindAsRead;
  private final int capacityAsRead;
  private final long lastTokenAsRead;

  // Mutable state
  private @Nullable ClaimRow headAsRead;
  private @Nullable ClaimRow nextAsRead;
  private @Nullable StoreException refusal;
  private long lowestSeq = 1;
  private long highestSeq;

  /**
   * A queue as its lock row describes it, without its claims.
   *
   * @param exists whether there is a lock row
   * @param claimRows how many rows its other claims have
   */
  LoadedQueue(ClaimQueue<ClaimRow> queue, boolean exists, int claimRows) {
    this.queue = queue;
    this.exists = exists;
    this.claimRows = claimRows;
    kindAsRead = queue.kind();
    capacityAsRead = queue.capacity();
    lastTokenAsRead = queue.lastToken();
  }

  static ClaimQueue<ClaimRow> empty(String lock, DbClock clock, OwnerCodec owners) {
    return new ClaimQueue<>(lock, clock, claim -> new ClaimRow(claim, owners));
  }

  /** Returns the lock's name. */
  public String lock() {
    return queue.lock();
  }

  /**
   * Returns the queue.
   *
   * @throws StoreException if its record cannot be read
   */
  public ClaimQueue<ClaimRow> queue() {
    if (refusal != null) {
      throw refusal;
    }
    return queue;
  }

  /** Returns why the record cannot be read; null if it can. */
  public @Nullable StoreException refusal() {
    return refusal;
  }

  /** Begins a step: removes expired claims and grants those that fit. */
  public void settle() {
    nextAsRead = next();
    queue().settle();
  }

  /** Returns the capacity in the lock row. */
  int capacity() {
    return capacityAsRead;
  }

  /** Returns the last token in the lock row; 0 if that is not a valid token. */
  long lastToken() {
    return lastTokenAsRead > 0 && lastTokenAsRead <= Tokens.MAX ? lastTokenAsRead : 0;
  }

  boolean exists() {
    return exists;
  }

  /** Returns whether the lock row must be written. */
  boolean lockRowChanged(@Nullable ClaimRow head, int claimRowsNow) {
    return head != headAsRead
        || (head != null && head.isChanged())
        || claimRowsNow != claimRows
        || queue.lastToken() != lastTokenAsRead
        || queue.capacity() != capacityAsRead
        || queue.kind() != kindAsRead;
  }

  /** Marks the record as unreadable: it is not changed either. */
  void refuse(StoreException why) {
    refusal = why;
  }

  /** Adds a claim that was read; they come in queue order, the lock row's first. */
  void add(ClaimRow row) {
    queue.add(row);
    if (row.storedIn == ClaimRow.StoredIn.LOCK_ROW) {
      headAsRead = row;
    } else {
      lowestSeq = Math.min(lowestSeq, row.seq);
      highestSeq = Math.max(highestSeq, row.seq);
    }
  }

  /** Returns a number ahead of all others, for a head that moves to its own row. */
  long seqInFront() {
    return --lowestSeq;
  }

  long seqAtEnd() {
    return ++highestSeq;
  }

  /**
   * Returns the next waiting claim if it waits behind a lingering one, whose end no notification
   * announces: its client has to look at that time.
   */
  @Nullable ClaimRow nextBehindLinger() {
    return queue.claims().stream().anyMatch(row -> row.state() == State.LINGERING) ? next() : null;
  }

  /** Returns the same claim if its client does not know yet: the linger or its position is new. */
  @Nullable ClaimRow newlyBehindLinger() {
    ClaimRow next = nextBehindLinger();
    boolean newLinger =
        queue.claims().stream().anyMatch(row -> row.state() == State.LINGERING && row.isChanged());
    return newLinger || next != nextAsRead ? next : null;
  }

  /** Returns how many waiting claims are ahead of this one; 0 for the next. */
  public int waitingAhead(ClaimRow waiting) {
    int ahead = 0;
    for (ClaimRow row : queue.claims()) {
      if (row == waiting) {
        break;
      }
      if (!row.isGranted()) {
        ahead++;
      }
    }
    return ahead;
  }

  /** Returns the time that is surely left until the first claim expires. */
  public Duration firstExpiry() {
    long first = Long.MAX_VALUE;
    for (ClaimRow row : queue.claims()) {
      first = Math.min(first, row.expires());
    }
    return queue.clock().until(first);
  }

  /** Returns the time since the last grant among the claims that hold the lock. */
  public Duration sinceLastGrant() {
    long last = 0;
    for (ClaimRow row : queue.claims()) {
      if (row.isGranted()) {
        last = Math.max(last, row.since());
      }
    }
    return queue.clock().since(last);
  }

  private @Nullable ClaimRow next() {
    for (ClaimRow row : queue.claims()) {
      if (!row.isGranted()) {
        return row;
      }
    }
    return null;
  }
}
