package dev.holdfast.jdbc;

import java.util.List;
import java.util.stream.Collectors;

/** The engines that Holdfast knows. */
final class Dialects {

  private static final List<Dialect> ALL = List.of(new SqliteDialect());

  private Dialects() {}

  /**
   * The dialect of a database.
   *
   * @param product as the driver names it
   * @throws IllegalArgumentException listing those that are known
   */
  static Dialect of(String product) {
    return ALL.stream()
        .filter(dialect -> dialect.product().equals(product))
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
