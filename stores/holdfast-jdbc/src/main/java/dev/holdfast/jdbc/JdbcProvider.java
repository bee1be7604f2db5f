package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.Secrets;
import dev.holdfast.spi.support.StoreUrl;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:} and {@code jdbc:h2:}
 * with a small pool of its own. The URL is the driver's, several hosts and all; parameters that
 * start with {@code holdfast.} are {@link JdbcOptions} and never reach it.
 *
 * <p>User and password come from the URL, in the driver's own way, or from the settings where it
 * has none.
 */
public final class JdbcProvider implements LockStoreProvider {

  /** Long enough to spare the pool's test of each connection that comes from it. */
  private static final Duration KEEP = Duration.ofSeconds(30);

  /** It is asked again until the operation's deadline, and not waited for long after it. */
  private static final Duration POOL_TIMEOUT = Duration.ofMillis(500);

  private static final Map<String, Dialect> DIALECTS =
      Map.of(
          "jdbc:postgresql", new PostgresDialect(),
          "jdbc:mysql", new MySqlDialect(),
          "jdbc:mariadb", new MariaDbDialect(),
          "jdbc:h2", new H2Dialect());

  /** For the service loader. */
  public JdbcProvider() {}

  @Override
  public Set<String> schemes() {
    return DIALECTS.keySet();
  }

  @Override
  public Traits traits(String scheme) {
    Dialect dialect = dialect(scheme);
    Traits.Builder traits = dialect.traits(scheme + ":");
    return (dialect.announcement() != null ? traits.pushes() : traits).build();
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    String scheme = StoreUrl.scheme(url);
    JdbcDriver driver = JdbcDriver.BY_SCHEME.get(scheme);
    if (driver == null) {
      throw StoreUrl.malformed(url, "it is not one for this store");
    }
    JdbcUrl parts = JdbcUrl.of(url);
    DriverDataSource connections = connections(parts, driver, scheme, settings);
    HikariDataSource pool = pool(connections, parts.options());
    try {
      DataSourceConnections.Manners manners =
          new DataSourceConnections.Manners(KEEP, false, pool::evictConnection);
      JdbcOptions options = parts.options();
      Access access =
          DataSourceConnections.of(pool, manners, options, settings.operationTimeout())
              .access(options, connections);
      return new JdbcLockStore(access, settings, pool::close).opened();
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private DriverDataSource connections(
      JdbcUrl url, JdbcDriver driver, String scheme, StoreSettings settings) {
    Properties properties = driver.properties(url, settings.operationTimeout());
    add(properties, "user", settings.credentials().user(), url);
    add(properties, "password", settings.credentials().password(), url);
    DriverDataSource source =
        new DriverDataSource(
            driver.load(scheme),
            url.driverUrl(),
            properties,
            Secrets.of(url.driverUrl(), settings.credentials()));
    try {
      source.connect(); // a pool would try for long, and say less clearly what is wrong
      return source;
    } catch (SQLException e) {
      throw unusable(url, dialect(scheme).explain(e), e);
    } catch (RuntimeException e) {
      throw unusable(url, e.toString(), e);
    }
  }

  private static HikariDataSource pool(DriverDataSource source, JdbcOptions options) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("holdfast");
    config.setDataSource(source);
    config.setMaximumPoolSize(options.connections());
    config.setMinimumIdle(0);
    config.setConnectionTimeout(POOL_TIMEOUT.toMillis());
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setInitializationFailTimeout(-1); // the first connection is there
    return new HikariDataSource(config);
  }

  private static StoreException unusable(JdbcUrl url, String why, Exception failure) {
    return new StoreException(
        "", "Cannot use " + url.shown() + ": " + Redaction.text(why) + ".", Redaction.of(failure));
  }

  private static Dialect dialect(String scheme) {
    Dialect dialect = DIALECTS.get(scheme);
    if (dialect == null) {
      throw new IllegalArgumentException("not a scheme of this store: " + scheme);
    }
    return dialect;
  }

  private static void add(
      Properties properties, String parameter, @Nullable String value, JdbcUrl url) {
    if (value != null && !url.sets(parameter)) {
      properties.setProperty(parameter, value);
    }
  }
}
