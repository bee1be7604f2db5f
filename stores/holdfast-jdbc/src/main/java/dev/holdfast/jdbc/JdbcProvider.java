package dev.holdfast.jdbc;

import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.jdbc.connection.DatabasePool;
import dev.holdfast.jdbc.connection.DriverConnections;
import dev.holdfast.jdbc.connection.JdbcDriver;
import dev.holdfast.jdbc.connection.JdbcUrl;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Redaction;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:} and {@code jdbc:h2:}
 * with its own small pool. The URL is the driver's, with several hosts and all its parameters;
 * those that start with {@code holdfast.} are {@link JdbcOptions} and never reach it.
 *
 * <p>User and password come from the URL, in the driver's own way, or from the settings if it has
 * none.
 */
public final class JdbcProvider implements LockStoreProvider {

  /** For the service loader. */
  public JdbcProvider() {}

  @Override
  public Set<String> schemes() {
    return JdbcDriver.BY_SCHEME.keySet();
  }

  @Override
  public Traits traits(String scheme) {
    Dialect dialect = Dialects.of(scheme);
    Traits.Builder traits = dialect.traits(scheme + ":");
    return (dialect.announcement() != null ? traits.pushes() : traits).build();
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    String scheme = StoreUrl.scheme(url);
    JdbcDriver driver = JdbcDriver.BY_SCHEME.get(scheme);
    if (driver == null) {
      throw StoreUrl.malformed(url, "this store does not support its scheme");
    }
    JdbcUrl parts = JdbcUrl.of(url);
    JdbcOptions options = JdbcOptions.of(url, parts.options());
    Properties properties = driver.properties(parts, settings.operationTimeout());
    add(properties, "user", settings.credentials().user(), parts);
    add(properties, "password", settings.credentials().password(), parts);
    DriverConnections source =
        new DriverConnections(
            driver.load(scheme),
            parts.driverUrl(),
            properties,
            Secrets.of(parts.driverUrl(), settings.credentials()));
    try {
      DatabasePool pool = DatabasePool.ofOurs(source, first(source, parts), options.createTables());
      DatabaseAccess access = DatabaseAccess.of(pool, options, source);
      return new JdbcLockStore(access, settings, () -> {}).opened();
    } catch (SQLException e) {
      throw unusable(parts, Dialects.of(scheme).explain(e), e);
    }
  }

  private static Connection first(DriverConnections source, JdbcUrl url) throws SQLException {
    try {
      return source.open();
    } catch (RuntimeException e) {
      throw unusable(url, e.toString(), e);
    }
  }

  private static StoreException unusable(JdbcUrl url, String why, Exception failure) {
    return new StoreException(
        "", "Cannot use " + url.shown() + ": " + Redaction.text(why) + ".", Redaction.of(failure));
  }

  private static void add(
      Properties properties, String parameter, @Nullable String value, JdbcUrl url) {
    if (value != null && !url.sets(parameter)) {
      properties.setProperty(parameter, value);
    }
  }
}
