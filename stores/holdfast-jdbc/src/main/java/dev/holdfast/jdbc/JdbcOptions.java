package dev.holdfast.jdbc;

/**
 * How a store uses its database. Immutable.
 *
 * @param connections how many connections it uses at once for its work, at most. Two are enough for
 *     any number of threads that wait
 * @param createTables whether it makes its tables where they are missing
 * @param linearizable that the database loses no commit that it has confirmed, whatever fails: one
 *     server without a standby, or a standby that confirms each commit before it counts. Nobody but
 *     its operator knows, so it is the user's word; without it the store says BEST_EFFORT
 * @param listen whether to wait for PostgreSQL's notifications, on one more connection that is kept
 *     from the first claim that waits on; other engines are polled in any case
 */
public record JdbcOptions(
    int connections, boolean createTables, boolean linearizable, boolean listen) {

  private static final JdbcOptions DEFAULTS = new JdbcOptions(2, true, false, true);

  /** Refuses what makes no sense. */
  public JdbcOptions {
    if (connections < 1 || connections > 64) {
      throw new IllegalArgumentException(
          "connections must be from 1 to 64, not " + connections + "; 2 are enough");
    }
  }

  /** Two connections, tables made where missing, nothing asserted, listening. */
  public static JdbcOptions defaults() {
    return DEFAULTS;
  }

  /** With at most so many connections. */
  public JdbcOptions connections(int count) {
    return new JdbcOptions(count, createTables, linearizable, listen);
  }

  /** With tables made, or not. */
  public JdbcOptions createTables(boolean create) {
    return new JdbcOptions(connections, create, linearizable, listen);
  }

  /** With the user's word that no confirmed commit is ever lost. */
  public JdbcOptions linearizable(boolean asserted) {
    return new JdbcOptions(connections, createTables, asserted, listen);
  }

  /** With notifications, or polling only. */
  public JdbcOptions listen(boolean wanted) {
    return new JdbcOptions(connections, createTables, linearizable, wanted);
  }
}
