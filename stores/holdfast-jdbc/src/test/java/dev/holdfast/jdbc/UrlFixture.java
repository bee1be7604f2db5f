package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.DatabasePool;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Stores on one database of a server, with the real clock. */
final class UrlFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("url-fixture");
  private final String url;
  private final Runnable restart;

  /**
   * A fixture.
   *
   * @param restart stops the server and starts it again
   */
  UrlFixture(String url, Runnable restart) {
    this.url = url;
    this.restart = restart;
  }

  @Override
  public LockStore open() {
    return new JdbcProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public void restart() {
    restart.run();
  }

  @Override
  public void purge() {
    DataSource dataSource = TestDataSource.of(url);
    DatabasePool connections = DatabasePool.ofCallers(dataSource, true, TIMEOUT);
    Sweep.now(ticker, connections.dialect(), connections);
  }

  /** H2 has no limit for a transaction that waits for its client. */
  @Override
  public boolean replacesStoppedClients() {
    return !url.startsWith("jdbc:h2:");
  }

  @Override
  public String damage(String lock, String text) {
    try (Connection connection = TestDataSource.of(url).getConnection()) {
      connection.setAutoCommit(true);
      return DamagedRow.of(connection, lock, text);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    ticker.close();
  }

  /** The row of a lock that is held has no room for its holder's channel. */
  @Override
  public boolean tellsHolders() {
    return false;
  }
}
