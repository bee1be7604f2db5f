package dev.holdfast.jdbc;

import java.util.List;
import java.util.stream.Collectors;

/** The engines that Holdfast knows. */
final class Dialects {

  private static final List<Dialect> ALL =
      List.of(
          new PostgresDialect(),
          new MySqlDialect(),
          new MariaDbDialect(),
          new H2Dialect(),
          new SqliteDialect());

  private Dialects() {}

  /**
   * The dialect of a database.
   *
   * @param product as the driver names it
   * @param version as the driver gives it; MySQL's driver takes a MariaDB for a MySQL, but its
   *     version tells
   * @throws IllegalArgumentException listing those that are known
   */
  static Dialect of(String product, String version) {
    String name = version.contains("MariaDB") ? "MariaDB" : product;
    return ALL.stream()
        .filter(dialect -> dialect.product().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no locks in a database of type '"
                        + product
                        + "'; known are: "
                        + ALL.stream().map(Dialect::product).collect(Collectors.joining(", "))));
  }
}
