package dev.holdfast.jdbc.connection;

import java.sql.Driver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A database driver, which the application provides.
 *
 * @param className its class
 * @param artifact what to add to have it
 * @param perSecond how many units of its time-outs make a second
 * @param settings what our connections have unless the URL says otherwise
 */
public record JdbcDriver(
    String className, String artifact, int perSecond, Map<String, String> settings) {

  /** By the scheme of the URLs that they take. */
  public static final Map<String, JdbcDriver> BY_SCHEME =
      Map.of(
          "jdbc:postgresql",
          new JdbcDriver("org.postgresql.Driver", "org.postgresql:postgresql", 1, Map.of()),
          "jdbc:mysql",
          new JdbcDriver(
              "com.mysql.cj.jdbc.Driver",
              "com.mysql:mysql-connector-j",
              1_000,
              // A batch is one round trip, and so is a script.
              Map.of("rewriteBatchedStatements", "true", "allowMultiQueries", "true")),
          "jdbc:mariadb",
          new JdbcDriver(
              "org.mariadb.jdbc.Driver",
              "org.mariadb.jdbc:mariadb-java-client",
              1_000,
              // The server parses a statement once; whether it can, it says before it is asked to
              // run
              // it. A batch is one round trip, and so is a script.
              Map.of(
                  "useServerPrepStmts", "true",
                  "disablePipeline", "true",
                  "useBulkStmts", "true",
                  "allowMultiQueries", "true")),
          "jdbc:h2",
          new JdbcDriver("org.h2.Driver", "com.h2database:h2", 1_000, Map.of()));

  /**
   * The driver itself.
   *
   * @throws IllegalArgumentException naming the artifact to add if it is not there
   */
  public Driver load(String scheme) {
    try {
      return (Driver) Class.forName(className).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IllegalArgumentException(
          "no driver for '" + scheme + ":' on the class path; add " + artifact, e);
    }
  }

  /**
   * Time-outs, so that a server that does not answer is known in time, and the settings; the URL's
   * own come first.
   */
  public Properties properties(JdbcUrl url, Duration timeout) {
    Properties properties = new Properties();
    long units = Math.max(1, -Math.floorDiv(-timeout.toMillis() * perSecond, 1_000L));
    for (String name : timeouts(url)) {
      if (!url.sets(name)) {
        properties.setProperty(name, Long.toString(units));
      }
    }
    settings.forEach(
        (name, value) -> {
          if (!url.sets(name)) {
            properties.setProperty(name, value);
          }
        });
    return properties;
  }

  /** H2 has one for a server by {@code tcp:}; by {@code ssl:} its client takes none. */
  private static List<String> timeouts(JdbcUrl url) {
    if (!url.driverUrl().startsWith("jdbc:h2:")) {
      return List.of("connectTimeout", "socketTimeout");
    }
    return url.driverUrl().startsWith("jdbc:h2:tcp:") ? List.of("NETWORK_TIMEOUT") : List.of();
  }
}
