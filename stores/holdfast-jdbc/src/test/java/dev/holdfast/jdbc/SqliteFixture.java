package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.SqliteConnections;
import dev.holdfast.jdbc.dialect.SqliteDialect;
import dev.holdfast.jdbc.dialect.SqliteFile;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Stores on one SQLite file, with the real clock. */
final class SqliteFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("sqlite-fixture");
  private final String url;

  SqliteFixture(Path file) {
    url = "sqlite:" + file;
  }

  @Override
  public LockStore open() {
    return new SqliteProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  /** The store is the file: it is stopped when nobody has it open. */
  @Override
  public void restart() {}

  /** As the sweep does in time, but with nothing kept for an hour. */
  @Override
  public void purge() {
    Dialect dialect = new SqliteDialect();
    Sweep.now(ticker, dialect, SqliteConnections.pool(SqliteFile.of(url), dialect));
  }

  /** A process that is stopped within a transaction keeps the file locked. */
  @Override
  public boolean replacesStoppedClients() {
    return false;
  }

  @Override
  public String damage(String lock, String text) {
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:sqlite:" + url.substring("sqlite:".length()) + "?busy_timeout=20000")) {
      return DamagedRow.of(connection, lock, text);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    ticker.close();
  }
}
