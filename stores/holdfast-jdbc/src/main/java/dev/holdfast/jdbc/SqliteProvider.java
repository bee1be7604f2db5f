package dev.holdfast.jdbc;

import dev.holdfast.Traits;
import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.StoreUrl;
import java.util.Set;

/**
 * Opens {@code sqlite:PATH} and {@code jdbc:sqlite:PATH}: a file that the processes of one host
 * share. The file is created if it does not exist, its directory is not. A file on a network file
 * system is refused.
 */
public final class SqliteProvider implements LockStoreProvider {

  private static final Dialect DIALECT = new SqliteDialect();

  /** For the service loader. */
  public SqliteProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("sqlite", "jdbc:sqlite");
  }

  @Override
  public Traits traits(String scheme) {
    return DIALECT.traits(scheme).build();
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    SqliteFile file = SqliteFile.of(url);
    // Not within the time-out: on a busy machine it takes long, but it waits for nobody.
    SqliteConnections.load();
    ConnectionPool connections = SqliteConnections.pool(file, DIALECT);
    return new JdbcLockStore(
            DatabaseAccess.polling(StoreUrl.redact(url), DIALECT, connections), settings, () -> {})
        .opened();
  }
}
