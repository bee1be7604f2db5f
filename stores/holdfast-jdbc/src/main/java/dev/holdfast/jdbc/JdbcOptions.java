package dev.holdfast.jdbc;

import dev.holdfast.spi.support.StoreUrl;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How a store uses its database. Immutable.
 *
 * @param connections the most connections it uses at once. Two are enough for any number of waiting
 *     threads
 * @param createTables whether it creates missing tables
 * @param linearizable asserts that the database loses no confirmed commit, whatever fails: one
 *     server without a standby, or a standby that confirms each commit before it counts. Only its
 *     operator can know this; without it the store is BEST_EFFORT
 * @param listen whether to wait for PostgreSQL's notifications, on one more connection that is kept
 *     from the first waiting claim on; other databases are polled in any case
 * @param asyncReleases whether PostgreSQL confirms a release that nobody waits for before it is on
 *     disk: a crash of the server can undo it, and the claim then stands until its ttl ends
 */
public record JdbcOptions(
    int connections,
    boolean createTables,
    boolean linearizable,
    boolean listen,
    boolean asyncReleases) {

  private static final String PREFIX = "holdfast.";
  private static final Set<String> NAMES =
      Set.of("connections", "create-tables", "linearizable", "listen", "async-releases");
  private static final JdbcOptions DEFAULTS = new JdbcOptions(2, true, false, true, false);

  /** Rejects values out of range. */
  public JdbcOptions {
    if (connections < 1 || connections > 64) {
      throw new IllegalArgumentException(
          "connections must be from 1 to 64, not " + connections + "; 2 are enough");
    }
  }

  /** Two connections, missing tables created, nothing asserted, listening, durable releases. */
  public static JdbcOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The options that the parameters of a URL name.
   *
   * @throws IllegalArgumentException naming the parameter that is wrong
   */
  static JdbcOptions of(String url, Map<String, String> parameters) {
    JdbcOptions options = defaults();
    for (Map.Entry<String, String> one : new TreeMap<>(parameters).entrySet()) {
      try {
        options = with(options, one.getKey(), one.getValue());
      } catch (IllegalArgumentException e) {
        throw StoreUrl.malformed(url, String.valueOf(e.getMessage()));
      }
    }
    return options;
  }

  /** With at most that many connections. */
  public JdbcOptions connections(int count) {
    return new JdbcOptions(count, createTables, linearizable, listen, asyncReleases);
  }

  /** With tables created, or not. */
  public JdbcOptions createTables(boolean create) {
    return new JdbcOptions(connections, create, linearizable, listen, asyncReleases);
  }

  /** Asserts that no confirmed commit is ever lost. */
  public JdbcOptions linearizable(boolean asserted) {
    return new JdbcOptions(connections, createTables, asserted, listen, asyncReleases);
  }

  /** With notifications, or polling only. */
  public JdbcOptions listen(boolean wanted) {
    return new JdbcOptions(connections, createTables, linearizable, wanted, asyncReleases);
  }

  /** With releases that the server may confirm before they are on disk, or not. */
  public JdbcOptions asyncReleases(boolean allowed) {
    return new JdbcOptions(connections, createTables, linearizable, listen, allowed);
  }

  private static JdbcOptions with(JdbcOptions options, String name, String value) {
    return switch (name) {
      case "connections" -> options.connections(number(name, value));
      case "create-tables" -> options.createTables(yes(name, value));
      case "linearizable" -> options.linearizable(yes(name, value));
      case "listen" -> options.listen(yes(name, value));
      case "async-releases" -> options.asyncReleases(yes(name, value));
      default -> throw new IllegalArgumentException(StoreUrl.unknown(name, PREFIX, NAMES));
    };
  }

  private static boolean yes(String name, String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new IllegalArgumentException("'" + PREFIX + name + "' must be true or false");
  }

  private static int number(String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + PREFIX + name + "' must be a number", e);
    }
  }
}
