package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The dialects of the supported databases. */
public final class Dialects {

  private static final List<Dialect> ALL =
      List.of(
          new PostgresDialect(),
          new MySqlDialect(),
          new MariaDbDialect(),
          new H2Dialect(),
          new SqliteDialect());

  private Dialects() {}

  /**
   * Returns the dialect of the database at the other end of a connection.
   *
   * @throws IllegalArgumentException listing the supported ones
   */
  public static Dialect of(Connection connection) throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    return of(about.getDatabaseProductName(), about.getDatabaseProductVersion());
  }

  /**
   * Returns the dialect of the URLs with this scheme.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Dialect of(String scheme) {
    return ALL.stream()
        .filter(dialect -> scheme.equals("jdbc:" + dialect.product().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("not a scheme of this store: " + scheme));
  }

  /**
   * Returns the dialect of a database.
   *
   * @param product as the driver names it
   * @param version as the driver gives it; MySQL's driver reports MariaDB as MySQL, but its version
   *     differs
   * @throws IllegalArgumentException listing the supported ones
   */
  public static Dialect of(String product, String version) {
    String name = version.contains("MariaDB") ? "MariaDB" : product;
    return ALL.stream()
        .filter(dialect -> dialect.product().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unsupported database '"
                        + product
                        + "'; supported are: "
                        + ALL.stream().map(Dialect::product).collect(Collectors.joining(", "))));
  }
}
