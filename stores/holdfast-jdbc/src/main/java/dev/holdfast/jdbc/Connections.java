package dev.holdfast.jdbc;

import java.sql.SQLException;

/** Where sessions come from. Each session is used by one thread at a time. */
interface Connections extends AutoCloseable {

  /**
   * A session that works, as far as is known.
   *
   * @param millis how long an answer of the server may take while it is made ready
   */
  Session take(int millis) throws SQLException;

  /** After use. */
  void giveBack(Session session) throws SQLException;

  /** After a failure that may have left it in any state. */
  void discard(Session session);

  @Override
  void close();
}
