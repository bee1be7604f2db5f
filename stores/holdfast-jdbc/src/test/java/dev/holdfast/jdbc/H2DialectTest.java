package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.H2Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** What the dialect relies on. */
class H2DialectTest {

  private static final String CLOCK = "SELECT " + new H2Dialect().clock();

  @Test
  void the_time_of_a_transaction_is_that_of_the_first_statement_that_asks_for_it()
      throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:clock");
        Connection other = DriverManager.getConnection("jdbc:h2:mem:clock");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE waited_for (id INT)");
      connection.setAutoCommit(false);
      statement.executeQuery("SELECT id FROM waited_for FOR UPDATE").close();

      long after = clock(other);
      long inTransaction = clock(connection);

      assertThat(inTransaction).isGreaterThanOrEqualTo(after);
      assertThat(clock(connection)).isEqualTo(inTransaction);
    }
  }

  private static long clock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(CLOCK)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
