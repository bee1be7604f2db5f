package dev.holdfast.jdbc;

import dev.holdfast.spi.support.Secrets;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Each time a new connection to one URL. Safe for any threads. */
final class DriverDataSource implements DataSource {

  private final Driver driver;
  private final String url;
  private final Properties properties;
  private final Secrets secrets;

  // Mutable state
  private final AtomicReference<@Nullable Connection> first = new AtomicReference<>();

  DriverDataSource(Driver driver, String url, Properties properties, Secrets secrets) {
    this.secrets = secrets;
    this.driver = driver;
    this.url = url;
    this.properties = properties;
  }

  /** Makes the connection that will be asked for first, to see whether that is possible. */
  void connect() throws SQLException {
    first.set(open());
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection ready = first.getAndSet(null);
    return ready == null ? open() : ready;
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is known");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("it does not log");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLFeatureNotSupportedException("it wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }

  // The one place where the driver is given the password: from here on no failure shows it.
  private Connection open() throws SQLException {
    Connection connection;
    try {
      connection = driver.connect(url, properties);
    } catch (SQLException e) {
      throw clean(e);
    } catch (RuntimeException e) {
      throw secrets.hide(e);
    }
    if (connection == null) {
      throw new SQLException("the driver does not take this URL");
    }
    return connection;
  }

  private SQLException clean(SQLException failure) {
    Throwable clean = secrets.hide((Throwable) failure);
    if (clean == failure) {
      return failure;
    }
    SQLException copy =
        new SQLException(
            clean.getMessage(), failure.getSQLState(), failure.getErrorCode(), clean.getCause());
    copy.setStackTrace(failure.getStackTrace());
    return copy;
  }
}
