package dev.holdfast.jdbc;

import dev.holdfast.Consistency;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.connection.DatabasePool;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * How a store reaches its database.
 *
 * @param url for messages, without secrets
 * @param connections for its work
 * @param threads how many of them it uses at once
 * @param notifications provides a connection to listen on; null to poll
 * @param asyncReleases see {@link JdbcOptions}
 */
record DatabaseAccess(
    String url,
    Dialect dialect,
    Traits traits,
    ConnectionPool connections,
    int threads,
    ConnectionPool.@Nullable Source notifications,
    boolean asyncReleases) {

  /** With the traits of the dialect, and polling. */
  static DatabaseAccess polling(String url, Dialect dialect, ConnectionPool connections) {
    return new DatabaseAccess(
        url, dialect, dialect.traits(url).build(), connections, dialect.connections(), null, false);
  }

  /**
   * Through connections of a data source.
   *
   * @param source provides a connection to listen on
   */
  static DatabaseAccess of(DatabasePool pool, JdbcOptions options, ConnectionPool.Source source) {
    Dialect dialect = pool.dialect();
    boolean listens = options.listen() && dialect.announcement() != null;
    Traits.Builder traits = pool.traits();
    if (listens) {
      traits.pushes();
    }
    if (options.linearizable()) {
      traits.consistency(Consistency.LINEARIZABLE);
    }
    return new DatabaseAccess(
        pool.url(),
        dialect,
        traits.build(),
        pool,
        Math.min(options.connections(), dialect.connections()),
        listens ? source : null,
        options.asyncReleases());
  }
}
