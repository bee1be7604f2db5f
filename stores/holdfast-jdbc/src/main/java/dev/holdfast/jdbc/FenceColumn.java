package dev.holdfast.jdbc;

import dev.holdfast.FenceToken;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.Dialects;
import dev.holdfast.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The fence as a column of the protected table: each row keeps the token of its last writer, and
 * one statement checks it and writes.
 *
 * <pre>{@code
 * UPDATE account SET fence = ?, balance = ? WHERE id = ? AND fence BETWEEN 0 AND ?
 * }</pre>
 *
 * <p>For work on single rows. It needs no transaction, and takes part in one if there is one; no
 * other row is locked. {@link JdbcFence} guards what spans rows.
 *
 * <p>The column is a {@code BIGINT NOT NULL DEFAULT 0}; a row in which it is null, negative or
 * greater than any token accepts no writes until {@link #reset}. Immutable, thread-safe.
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

  /**
   * Tells where the fence of a row stands; for operators.
   *
   * @throws StoreException if the column does not hold a token
   * @throws IllegalArgumentException if there is no such row
   */
  public long current(Connection connection, Object row) throws SQLException {
    return read(connection, row, "", "");
  }

  /**
   * Puts the fence of a row at this token, whatever the column holds; for operators, once no holder
   * with an older token is left: it would pass again.
   *
   * @param token the lowest that passes from now on; 0 lets every token pass
   * @throws IllegalArgumentException if there is no such row, or the token cannot be one
   */
  public void reset(Connection connection, Object row, long token) throws SQLException {
    FenceToken.forReset(place(row), token);
    String sql = "UPDATE %s SET %s = ? WHERE %s = ?".formatted(table, fence, key);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, List.of(token, row));
      statement.executeUpdate();
    }
    read(connection, row, "", ""); // refuses a row that is not there
  }

  private void write(
      Connection connection, Object row, Proof proof, String assignments, List<Object> values)
      throws SQLException {
    Dialect dialect = Dialects.of(connection);
    List<Object> bound = new ArrayList<>();
    long raised = FenceToken.raising(proof);
    bound.add(raised);
    bound.add(raised);
    bound.addAll(values);
    bound.add(row);
    bound.add(proof.token());
    String sql =
        "UPDATE %1$s SET %3$s = CASE WHEN %3$s < ? THEN ? ELSE %3$s END%4$s WHERE %2$s = ? AND %3$s BETWEEN 0 AND ? AND %5$s"
            .formatted(table, key, fence, assignments, dialect.isWhole(fence));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, bound);
      if (statement.executeUpdate() == 0) {
        // Says why; some drivers do not count a row that had these values before. It asks for the
        // row as it is now, not as it was when the transaction began.
        FenceToken.refuseOlder(proof, read(connection, row, proof.lock(), dialect.forUpdate()));
      }
    }
  }

  private long read(Connection connection, Object row, String lock, String forUpdate)
      throws SQLException {
    String sql = "SELECT %s FROM %s WHERE %s = ?%s".formatted(fence, table, key, forUpdate);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, List.of(row));
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw new IllegalArgumentException(
              "no row of " + table + " has " + key + " = " + row + "; nothing was written");
        }
        return FenceToken.read(lock, place(row), rows.getString(1));
      }
    }
  }

  private String place(Object row) {
    return "column " + fence + " of " + table + " where " + key + " = " + row;
  }

  private static void bind(PreparedStatement statement, List<Object> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
  }
}
