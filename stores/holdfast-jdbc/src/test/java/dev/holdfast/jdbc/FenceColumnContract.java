package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Fence;
import dev.holdfast.Proof;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.StoredFenceContract;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same promises for a fence that is a column, with a row for each lock. */
abstract class FenceColumnContract extends StoredFenceContract {

  private static final FenceColumn ROWS = FenceColumn.of("test_fenced", "id", "fence");

  /** The database's URL. */
  abstract String url();

  @BeforeEach
  void make() throws SQLException {
    try (Connection connection = connect();
        var statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS test_fenced");
      // Nullable, as a column that was added to an old table.
      statement.execute(
          "CREATE TABLE test_fenced (id VARCHAR(36) PRIMARY KEY, balance INT, fence BIGINT)");
    }
  }

  @Override
  protected Fence fence() {
    return new Fence() {
      @Override
      public void enter(Proof proof) {
        use(proof.lock(), connection -> ROWS.enter(connection, row(proof.lock()), proof));
      }

      @Override
      public void check(Proof proof) {
        use(
            proof.lock(),
            connection -> ROWS.update(connection, row(proof.lock()), proof, "balance = ?", 1));
      }

      @Override
      public long current(String name) {
        long[] current = {0};
        use(name, connection -> current[0] = ROWS.current(connection, row(name)));
        return current[0];
      }

      @Override
      public void reset(String name, long token) {
        use(name, connection -> ROWS.reset(connection, row(name), token));
      }
    };
  }

  @Override
  protected void overwrite(String name, String text) throws Exception {
    use(
        name,
        connection -> {
          try (PreparedStatement update =
              connection.prepareStatement("UPDATE test_fenced SET fence = ? WHERE id = ?")) {
            JdbcFenceContract.bind(update, text);
            update.setString(2, row(name));
            assertThat(update.executeUpdate()).isEqualTo(1);
          }
        });
  }

  @Override
  protected String place(String name) {
    return "column fence of test_fenced where id = " + row(name);
  }

  @Override
  protected List<String> damages() {
    return JdbcFenceContract.damages(url(), super.damages());
  }

  @Test
  void a_row_without_a_token_takes_no_writes() {
    use(
        lock,
        connection -> {
          try (var statement = connection.createStatement()) {
            statement.execute("UPDATE test_fenced SET fence = NULL, balance = 5");
          }
        });
    for (Runnable use :
        List.<Runnable>of(
            () -> fence().enter(exclusive(9)),
            () -> fence().check(exclusive(9)),
            () -> fence().check(shared(9)),
            () -> fence().current(lock))) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(use::run)
          .withMessageContaining(place(lock) + " holds nothing");
    }
    fence().reset(lock, 8);
    fence().check(exclusive(9));
  }

  @Test
  void a_row_that_does_not_exist_is_not_reset() throws SQLException {
    try (Connection connection = connect()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ROWS.reset(connection, "nobody", 7))
          .withMessageContaining("id = nobody");
    }
  }

  /** Of one length in every engine, and as exact as the name. */
  private static String row(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private void use(String name, FenceDatabase.Work work) {
    try (Connection connection = connect()) {
      addRow(connection, name);
      work.run(connection);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void addRow(Connection connection, String name) throws SQLException {
    try (PreparedStatement find =
        connection.prepareStatement("SELECT 1 FROM test_fenced WHERE id = ?")) {
      find.setString(1, row(name));
      if (!find.executeQuery().next()) {
        try (PreparedStatement add =
            connection.prepareStatement("INSERT INTO test_fenced VALUES (?, 0, 0)")) {
          add.setString(1, row(name));
          add.executeUpdate();
        }
      }
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }
}
