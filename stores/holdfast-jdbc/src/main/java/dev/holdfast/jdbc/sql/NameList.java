package dev.holdfast.jdbc.sql;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A query with a list of lock names. It exists in a few lengths only, so that few statements are
 * ever prepared; the last name fills the rest of a list.
 */
public final class NameList {

  /** The most names in a list. */
  public static final int MAX = 256;

  private static final List<Integer> LENGTHS = List.of(1, 8, 64, MAX);

  private final List<String> texts;

  /**
   * The query for each length.
   *
   * @param text makes the query from the placeholders for the names
   */
  public NameList(Function<String, String> text) {
    texts = LENGTHS.stream().map(length -> text.apply("?" + ",?".repeat(length - 1))).toList();
  }

  /** The statement for these names. */
  public String text(List<String> names) {
    return texts.get(size(names));
  }

  /** The names as the values of that statement. */
  public static @Nullable Object[] values(Dialect dialect, List<String> names) {
    @Nullable Object[] values = new @Nullable Object[LENGTHS.get(size(names))];
    for (int i = 0; i < values.length; i++) {
      values[i] = dialect.text(names.get(Math.min(i, names.size() - 1)));
    }
    return values;
  }

  private static int size(List<String> names) {
    int size = 0;
    while (LENGTHS.get(size) < names.size()) {
      size++;
    }
    return size;
  }
}
