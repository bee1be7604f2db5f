package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.LockStoreProvider;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.StoreUrl;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:} and {@code jdbc:h2:}
 * with a small pool of its own. The URL is the driver's, several hosts and all; parameters that
 * start with {@code holdfast.} are {@link JdbcOptions} and never reach it.
 *
 * <p>User and password come from the URL, in the driver's own way, or from the environment
 * variables {@code HOLDFAST_STORE_USER} and {@code HOLDFAST_STORE_PASSWORD}.
 */
public final class JdbcProvider implements LockStoreProvider {

  /** Long enough to spare the pool's test of each connection that comes from it. */
  private static final Duration KEEP = Duration.ofSeconds(30);

  private static final long SHORTEST_CONNECTION_TIMEOUT = 250; // of HikariCP, in milliseconds

  private static final Map<String, Dialect> DIALECTS =
      Map.of(
          "jdbc:postgresql", new PostgresDialect(),
          "jdbc:mysql", new MySqlDialect(),
          "jdbc:mariadb", new MariaDbDialect(),
          "jdbc:h2", new H2Dialect());

  private final Map<String, String> environment;

  /** For the service loader. */
  public JdbcProvider() {
    this(System.getenv());
  }

  JdbcProvider(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Set<String> schemes() {
    return DIALECTS.keySet();
  }

  @Override
  public Traits traits(String scheme) {
    return dialect(scheme).traits(scheme + ":").build();
  }

  @Override
  public LockStore open(String url, StoreSettings settings) {
    String scheme = StoreUrl.scheme(url);
    JdbcDriver driver = JdbcDriver.BY_SCHEME.get(scheme);
    if (driver == null) {
      throw new IllegalArgumentException("not a URL for this store: " + StoreUrl.redact(url));
    }
    JdbcUrl parts = JdbcUrl.of(url);
    driver.check(scheme);
    HikariDataSource pool = pool(parts, driver, settings);
    try {
      return JdbcLockStore.open(
          pool,
          new DataSourceConnections.Manners(KEEP, pool::evictConnection),
          parts.options(),
          settings,
          pool::close);
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private HikariDataSource pool(JdbcUrl url, JdbcDriver driver, StoreSettings settings) {
    Duration timeout = settings.operationTimeout();
    HikariConfig config = new HikariConfig();
    config.setPoolName("holdfast");
    config.setDriverClassName(driver.className());
    config.setJdbcUrl(url.driverUrl());
    config.setDataSourceProperties(driver.limits(url, timeout));
    config.setUsername(fromEnvironment("HOLDFAST_STORE_USER", url, "user"));
    config.setPassword(fromEnvironment("HOLDFAST_STORE_PASSWORD", url, "password"));
    config.setMaximumPoolSize(url.options().connections());
    config.setMinimumIdle(0);
    config.setConnectionTimeout(Math.max(timeout.toMillis(), SHORTEST_CONNECTION_TIMEOUT));
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setInitializationFailTimeout(1); // one attempt, now: what is wrong is known at once
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      throw unusable(url, e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) {
      throw unusable(url, e);
    }
  }

  private static StoreException unusable(JdbcUrl url, Throwable failure) {
    String why =
        failure instanceof SQLException sql
            ? dialect(StoreUrl.scheme(url.driverUrl())).explain(sql)
            : Redaction.message(failure);
    return new StoreException(
        "",
        "Cannot use " + url.shown() + ": " + StoreUrl.redact(why) + ".",
        Redaction.of(failure));
  }

  private static Dialect dialect(String scheme) {
    Dialect dialect = DIALECTS.get(scheme);
    if (dialect == null) {
      throw new IllegalArgumentException("not a scheme of this store: " + scheme);
    }
    return dialect;
  }

  private @Nullable String fromEnvironment(String variable, JdbcUrl url, String parameter) {
    return url.sets(parameter) ? null : environment.get(variable);
  }
}
