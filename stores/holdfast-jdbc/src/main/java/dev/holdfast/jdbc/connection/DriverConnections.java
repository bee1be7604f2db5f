package dev.holdfast.jdbc.connection;

import dev.holdfast.jdbc.sql.ConnectionPool;
import dev.holdfast.spi.support.Secrets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;

/** Opens a new connection to one URL each time. Thread-safe. */
public final class DriverConnections implements ConnectionPool.Source {

  private final Driver driver;
  private final String url;
  private final Properties properties;
  private final Secrets secrets;

  public DriverConnections(Driver driver, String url, Properties properties, Secrets secrets) {
    this.driver = driver;
    this.url = url;
    this.properties = properties;
    this.secrets = secrets;
  }

  // The only place where the driver receives the password: later failures cannot show it.
  @Override
  public Connection open() throws SQLException {
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
    try {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED); // it locks least
    } catch (SQLException e) {
      connection.close();
      throw e;
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
