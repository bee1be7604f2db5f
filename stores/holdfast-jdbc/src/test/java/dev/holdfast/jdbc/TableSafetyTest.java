package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.sql.TableSafety;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.store.Ask;
import dev.holdfast.testkit.store.Logged;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Additions to the tables in databases that need no server. */
class TableSafetyTest {

  @Nested
  class H2 extends TableSafetyContract {

    @TempDir private Path directory;
    private H2Server server;

    @BeforeEach
    void start() {
      server = new H2Server(directory);
    }

    @AfterEach
    void stop() {
      server.close();
    }

    @Override
    String url() {
      return server.url();
    }

    @Override
    void makeTrigger() throws Exception {
      try (Connection connection = DriverManager.getConnection(url());
          Statement statement = connection.createStatement()) {
        statement.execute(
            "CREATE TRIGGER \"spy\" BEFORE INSERT ON holdfast_lock FOR EACH ROW CALL '"
                + Spy.class.getName()
                + "'");
      }
    }

    /** Does nothing. */
    public static final class Spy implements Trigger {
      /** For H2. */
      public Spy() {}

      @Override
      public void fire(Connection connection, Object[] before, Object[] after) {}
    }

    @Test
    void connections_to_this_host_are_reported_as_just_that() throws Exception {
      assertThat(openAndDiagnose())
          .extracting(Finding::message)
          .contains("connections are not encrypted, and do not leave this host (loopback)");
    }
  }

  @Nested
  class Sqlite {

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
    void a_trigger_is_reported() throws Exception {
      findings();
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TRIGGER spy AFTER INSERT ON holdfast_lock BEGIN SELECT 1; END");
      }
      try (Logged warnings = Logged.by(TableSafety.class, Level.WARNING)) {
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
    void a_file_that_every_user_can_write_is_reported() throws Exception {
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
}
