package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A query with a list of lock names in it. It exists in a few lengths only, so that few statements
 * are ever prepared; the rest of a list repeats its last name.
 */
final class NameList {

  /** How many names a list takes. */
  static final int MAX = 256;

  private static final List<Integer> LENGTHS = List.of(1, 8, 64, MAX);

  private final List<String> texts;

  /**
   * The query for each length.
   *
   * @param text makes the query from the marks that stand for the names
   */
  NameList(Function<String, String> text) {
    texts =
        LENGTHS.stream()
            .map(
                length -> Stream.generate(() -> "?").limit(length).collect(Collectors.joining(",")))
            .map(text)
            .toList();
  }

  /** The statement for these names, with the names bound. */
  PreparedStatement prepare(Session session, List<String> names) throws SQLException {
    PreparedStatement statement = session.prepare(text(names));
    bind(session.dialect(), statement, 0, names);
    return statement;
  }

  /** The statement for these names. */
  String text(List<String> names) {
    return texts.get(size(names));
  }

  /** Binds the names to the parameters after the first so many. */
  void bind(Dialect dialect, PreparedStatement statement, int before, List<String> names)
      throws SQLException {
    int length = LENGTHS.get(size(names));
    for (int i = 0; i < length; i++) {
      dialect.setText(statement, before + i + 1, names.get(Math.min(i, names.size() - 1)));
    }
  }

  private static int size(List<String> names) {
    int size = 0;
    while (LENGTHS.get(size) < names.size()) {
      size++;
    }
    return size;
  }
}
