package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Claim;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * What many claims ask, each of another lock row, in one statement and one commit. Each is decided
 * by its lock row alone, as by itself, and does nothing where there is more to consider. Nothing
 * waits for a row: one that another transaction has locked is passed over, so no claim is delayed
 * by the neighbour of another.
 *
 * <p>Immutable and thread-safe.
 */
public interface GroupPath {

  /** What a claim asks. */
  enum Verb {
    TAKE,
    RENEW,
    RELEASE
  }

  /** A claim, and what it asks. */
  record Request(Verb verb, Claim claim) {}

  /**
   * Does what can be done.
   *
   * @param requests at most one for each lock, or renewals only
   * @return the token of each claim for which it was done; the others are to be asked alone
   */
  Map<Claim, Long> run(StoreConnection connection, List<Request> requests) throws SQLException;
}
