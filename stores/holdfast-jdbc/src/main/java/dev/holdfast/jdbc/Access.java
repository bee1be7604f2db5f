package dev.holdfast.jdbc;

import dev.holdfast.Traits;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * How a store gets at its database.
 *
 * @param url for messages, without secrets
 * @param connections for its work
 * @param threads how many of them it uses at once
 * @param notifications has a connection to listen on; null where the database tells nobody, or is
 *     not to be listened to
 */
record Access(
    String url,
    Dialect dialect,
    Traits traits,
    Connections connections,
    int threads,
    @Nullable DataSource notifications) {

  /** With what the dialect says of itself, and polling. */
  static Access polling(String url, Dialect dialect, Connections connections) {
    return new Access(
        url, dialect, dialect.traits(url).build(), connections, dialect.connections(), null);
  }
}
