package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.LockName;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ForeignTextContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteForeignTextTest extends ForeignTextContract {

  @TempDir Path directory;

  private SqliteFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new SqliteFixture(directory.resolve("locks.db"));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Override
  protected LockStore open() {
    return fixture.open();
  }

  @Override
  protected void overwrite(String lock, String owner, String value) throws Exception {
    update(
        "UPDATE holdfast_lock SET owner = ?, claim_value = ? WHERE name = ?", owner, value, lock);
  }

  @Test
  void a_name_that_is_a_megabyte_long_is_listed_with_an_ellipsis() throws Exception {
    try (Holdfast locks = Holdfast.connect("sqlite:" + directory.resolve("locks.db"))) {
      locks.lock("short").acquire();
      update("UPDATE holdfast_lock SET name = ? WHERE name = 'short'", "x".repeat(1_000_000));

      List<LockInfo> listed = locks.list("");

      assertThat(listed).hasSize(1);
      assertThat(listed.get(0).name()).hasSize(LockName.MAX_LENGTH).endsWith("x…");
    }
  }

  private void update(String sql, String... values) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:sqlite:" + directory.resolve("locks.db") + "?busy_timeout=20000");
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
  }
}
