package dev.holdfast.jdbc;

import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ManualTicker;
import java.sql.SQLException;
import java.time.Duration;

/** A database whose clock is a row that the test sets; the stores' ticker goes along with it. */
interface ClockedDatabase extends AutoCloseable {

  /** How many lock rows do not say what is true of their claims. */
  String INCONSISTENT =
      "SELECT COUNT(*) FROM holdfast_lock l WHERE l.token > l.last_token OR l.queued <>"
          + " (SELECT COUNT(*) FROM holdfast_claim c WHERE c.lock_name = l.name)";

  ManualTicker ticker();

  /** A store of a client of its own. */
  LockStore open();

  /** Moves the clock and the ticker ahead; tasks that come due are handed over. */
  void advance(Duration by) throws SQLException;

  /** What a query finds. */
  long number(String sql) throws SQLException;
}
