package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.MYSQL)
class MysqlTableSafetyIT extends TableSafetyContract {

  private Database database;

  @BeforeEach
  void make() throws Exception {
    database = MySqlServer.shared().newDatabase();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Override
  String url() {
    return database.url();
  }

  /** By an administrator: where changes are logged, no one else may. */
  @Override
  void makeTrigger() throws Exception {
    String name = database.name();
    try (Connection admin = MySqlServer.shared().admin();
        Statement statement = admin.createStatement()) {
      statement.execute(
          "CREATE TRIGGER %1$s.spy BEFORE INSERT ON %1$s.holdfast_lock FOR EACH ROW SET @seen = 1"
              .formatted(name));
    }
  }

  @Test
  void the_server_is_asked_whether_the_connection_is_encrypted() throws Exception {
    assertThat(openAndDiagnose())
        .extracting(Finding::message)
        .contains("connections are encrypted, and do not leave this host (loopback)");
  }
}
