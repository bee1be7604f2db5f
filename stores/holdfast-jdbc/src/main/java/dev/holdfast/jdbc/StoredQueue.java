package dev.holdfast.jdbc;

import dev.holdfast.Kind;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * A queue together with how it was read, so that only the difference is written back. Not
 * thread-safe: it lives for one transaction.
 */
final class StoredQueue {

  private final LockQueue queue;
  private final boolean exists;
  private final int claimRows;

  private final @Nullable Entry headAsRead;
  private final Kind kindAsRead;
  private final int capacityAsRead;
  private final long lastTokenAsRead;

  // Mutable state
  private @Nullable StoreException refusal;
  private long lowestSeq = 1;
  private long highestSeq;

  private StoredQueue(LockQueue queue, boolean exists, int claimRows) {
    this.queue = queue;
    this.exists = exists;
    this.claimRows = claimRows;
    headAsRead = queue.entries.isEmpty() ? null : queue.entries.get(0);
    kindAsRead = queue.kind;
    capacityAsRead = queue.capacity;
    lastTokenAsRead = queue.lastToken;
  }

  /** A lock that has no row. */
  static StoredQueue absent(LockQueue queue) {
    return new StoredQueue(queue, false, 0);
  }

  /** A queue with what its lock row says; the rows of its claims are still to come. */
  static StoredQueue read(LockQueue queue, int claimRows) {
    return new StoredQueue(queue, true, claimRows);
  }

  String name() {
    return queue.name;
  }

  /**
   * The queue.
   *
   * @throws StoreException if its record cannot be read
   */
  LockQueue queue() {
    if (refusal != null) {
      throw refusal;
    }
    return queue;
  }

  /** Why the record cannot be read, if so. */
  @Nullable StoreException refusal() {
    return refusal;
  }

  /** The lock's capacity, as its row says. */
  int capacity() {
    return capacityAsRead;
  }

  /** The last token as it was read; 0 if that cannot be one. */
  long lastToken() {
    return lastTokenAsRead > 0 && lastTokenAsRead <= Tokens.MAX ? lastTokenAsRead : 0;
  }

  /** How many rows of {@code holdfast_claim} belong to it, as its lock row says. */
  int claimRows() {
    return claimRows;
  }

  /** Whether it has a lock row. */
  boolean exists() {
    return exists;
  }

  /** Whether the lock row must be written to say what the queue says now. */
  boolean lockRowChanged(@Nullable Entry head, int claimRowsNow) {
    return head != headAsRead
        || (head != null && head.changed)
        || claimRowsNow != claimRows
        || queue.lastToken != lastTokenAsRead
        || queue.capacity != capacityAsRead
        || queue.kind != kindAsRead;
  }

  /** The record is not ours to understand, hence not ours to change. */
  void refuse(StoreException why) {
    refusal = why;
  }

  /** Adds a claim; they come in queue order. */
  void claimRowRead(Entry entry) {
    (entry.state == Entry.State.TOMBSTONE ? queue.tombstones : queue.entries).add(entry);
    lowestSeq = Math.min(lowestSeq, entry.seq);
    highestSeq = Math.max(highestSeq, entry.seq);
  }

  /** Before all others: for a head that moves from the lock row to a row of its own. */
  long seqInFront() {
    return --lowestSeq;
  }

  long seqAtEnd() {
    return ++highestSeq;
  }
}
