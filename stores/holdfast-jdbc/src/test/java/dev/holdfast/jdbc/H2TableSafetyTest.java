package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class H2TableSafetyTest extends TableSafetyContract {

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
  void connections_to_this_host_are_told_to_be_just_that() throws Exception {
    assertThat(openAndDiagnose())
        .extracting(Finding::message)
        .contains("connections are not encrypted, and do not leave this host (loopback)");
  }
}
