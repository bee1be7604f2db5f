package dev.holdfast.jdbc;

import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The fence as a column of the protected table: each row keeps the token that wrote it last, and
 * one statement checks it and writes.
 *
 * <pre>{@code
 * UPDATE account SET fence = ?, balance = ? WHERE id = ? AND fence <= ?
 * }</pre>
 *
 * <p>For work on single rows. It needs no transaction of its own and takes part in one if there is
 * one; a database that locks nothing else stays fast. What spans rows is guarded by {@link
 * JdbcFence}.
 *
 * <p>The column is a {@code BIGINT NOT NULL DEFAULT 0}. Immutable, any threads.
 */
public final class FenceColumn {

  private static final Pattern IDENTIFIER =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*){0,2}");

  private final String table;
  private final String key;
  private final String fence;

  private FenceColumn(String table, String key, String fence) {
    this.table = table;
    this.key = key;
    this.fence = fence;
  }

  /**
   * The fence of a table's rows.
   *
   * @param table its name, with the schema if need be
   * @param key the column by which rows are found
   * @param fence the column with the token
   * @throws IllegalArgumentException if one of them is not a plain SQL name
   */
  public static FenceColumn of(String table, String key, String fence) {
    for (String name : List.of(table, key, fence)) {
      if (!IDENTIFIER.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "'" + name + "' is not a plain SQL name: letters, digits, '_' and '$' are");
      }
    }
    return new FenceColumn(table, key, fence);
  }

  /**
   * Raises the fence of a row, before its first read.
   *
   * @throws StaleTokenException if a later holder has been at the row
   * @throws IllegalArgumentException if there is no such row
   */
  public void enter(Connection connection, Object row, Proof proof) throws SQLException {
    write(connection, row, proof, "", List.of());
  }

  /**
   * Changes a row, unless a later holder has been at it.
   *
   * @param row the value of the key
   * @param assignments as after SET, with a question mark for each value: {@code balance = ?}
   * @param values for the question marks, in order
   * @throws StaleTokenException if a later holder has been at the row; nothing was written
   * @throws IllegalArgumentException if there is no such row
   */
  public void update(
      Connection connection, Object row, Proof proof, String assignments, Object... values)
      throws SQLException {
    write(connection, row, proof, ", " + assignments, Arrays.asList(values));
  }

  private void write(
      Connection connection, Object row, Proof proof, String assignments, List<Object> values)
      throws SQLException {
    List<Object> bound = new ArrayList<>();
    long raised = JdbcFence.raised(proof);
    bound.add(raised);
    bound.add(raised);
    bound.addAll(values);
    bound.add(row);
    bound.add(proof.token());
    String sql =
        "UPDATE %1$s SET %3$s = CASE WHEN %3$s < ? THEN ? ELSE %3$s END%4$s WHERE %2$s = ? AND %3$s <= ?"
            .formatted(table, key, fence, assignments);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, bound);
      if (statement.executeUpdate() == 0) {
        refuse(connection, row, proof);
      }
    }
  }

  /**
   * Says why no row was changed; some drivers do not count one that had these values before. It
   * asks for the row as it is now, not as it was when the transaction began.
   */
  private void refuse(Connection connection, Object row, Proof proof) throws SQLException {
    String now = Dialect.of(connection).forUpdate();
    String sql = "SELECT %s FROM %s WHERE %s = ?%s".formatted(fence, table, key, now);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, List.of(row));
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw new IllegalArgumentException(
              "no row of " + table + " has " + key + " = " + row + "; nothing was written");
        }
        if (rows.getLong(1) > proof.token()) {
          throw new StaleTokenException(proof.lock(), proof.token(), rows.getLong(1));
        }
      }
    }
  }

  private static void bind(PreparedStatement statement, List<Object> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
  }
}
