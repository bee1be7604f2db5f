package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteTableSafetyTest {

  @TempDir private Path directory;
  private final Ticker ticker = Ticker.system("table-safety");
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("locks.db");
  }

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void nothing_is_said_of_tables_that_are_as_we_made_them() {
    assertThat(findings()).isEmpty();
  }

  @Test
  void a_trigger_is_told() throws Exception {
    findings();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TRIGGER spy AFTER INSERT ON holdfast_lock BEGIN SELECT 1; END");
    }
    try (Warnings warnings = new Warnings(TableSafety.class)) {
      assertThat(findings())
          .singleElement()
          .satisfies(
              finding ->
                  assertThat(finding.message())
                      .startsWith("the table holdfast_lock has the trigger 'spy'"));
      assertThat(warnings.texts()).hasSize(1);
    }
  }

  @Test
  void a_file_that_everybody_can_write_is_told() throws Exception {
    findings();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(findings())
        .containsExactly(
            Finding.warning(
                "every user of this host can write "
                    + file
                    + ", and so take and break locks; say: chmod o-w "
                    + file));
  }

  private List<Finding> findings() {
    try (LockStore store =
        new SqliteProvider()
            .open("sqlite:" + file, new StoreSettings(ticker, Duration.ofSeconds(20)))) {
      return Ask.of(store.diagnose()).findings();
    }
  }
}
