package dev.holdfast.jdbc;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** What inspect and list show: one query each, without the claims' ids. Safe for any threads. */
final class Listing {

  private static final System.Logger LOG = System.getLogger(Listing.class.getName());

  private final QueueReader reader;

  Listing(QueueReader reader) {
    this.reader = reader;
  }

  LockInfo inspect(Session session, String lock) throws SQLException {
    StoredQueue stored = reader.snapshot(session, List.of(lock)).get(lock);
    return stored == null ? LockInfo.free(lock) : info(stored.queue());
  }

  List<LockInfo> list(Session session, String prefix, int limit) throws SQLException {
    if (limit <= 0 || !NamePrefix.isPossible(prefix)) {
      return List.of();
    }
    List<LockInfo> result = new ArrayList<>();
    for (StoredQueue stored :
        reader.list(session, prefix, NamePrefix.end(prefix), limit).values()) {
      StoreException unreadable = stored.refusal();
      if (unreadable == null) {
        result.add(info(stored.queue()));
      } else {
        LOG.log(Level.WARNING, "Skipping a lock in the listing: " + unreadable.getMessage());
      }
    }
    return result;
  }

  /** The database's clock, and settings that endanger locks. */
  Diagnosis diagnose(Session session) throws SQLException {
    List<Finding> findings = new ArrayList<>(session.dialect().examine(session));
    findings.addAll(TableSafety.examine(session));
    try (ResultSet rows = session.prepare("SELECT " + session.dialect().clock()).executeQuery()) {
      rows.next();
      return new Diagnosis(Instant.EPOCH.plus(rows.getLong(1), ChronoUnit.MICROS), findings);
    }
  }

  private static LockInfo info(LockQueue queue) {
    DbClock clock = queue.clock();
    List<ClaimInfo> holders = new ArrayList<>();
    List<ClaimInfo> waiters = new ArrayList<>();
    for (Entry entry : queue.entries) {
      // An expired claim has ended, even if nobody has removed it yet.
      if (entry.expires > clock.now()) {
        (entry.isGranted() ? holders : waiters).add(info(entry, queue));
      }
    }
    return holders.isEmpty() && waiters.isEmpty()
        ? LockInfo.free(queue.name)
        : new LockInfo(queue.name, queue.kind, queue.capacity, holders, waiters);
  }

  private static ClaimInfo info(Entry entry, LockQueue queue) {
    return new ClaimInfo(
        entry.readOwner(),
        queue.kind.mode(entry.weight),
        entry.weight,
        entry.token,
        entry.isGranted() ? queue.lastToken : 0,
        queue.clock().since(entry.since),
        queue.clock().until(entry.expires),
        entry.value);
  }
}
