package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.jdbc.sql.StoreConnection;
import dev.holdfast.jdbc.sql.TableSafety;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Additions to the tables on each server. */
class TableSafetyIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends TableSafetyContract {

    private Database database;

    @BeforeEach
    void make() throws Exception {
      database = PostgresServer.shared().newDatabase();
    }

    @AfterEach
    void drop() {
      database.close();
    }

    @Override
    String url() {
      return database.url();
    }

    @Override
    void makeTrigger() throws Exception {
      database.execute(
          List.of(
              "CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
              "CREATE TRIGGER spy BEFORE INSERT ON holdfast_lock FOR EACH ROW"
                  + " EXECUTE PROCEDURE spy()"));
    }

    @Test
    void rules_and_row_security_are_reported() throws Exception {
      openAndDiagnose();
      database.execute(
          List.of(
              "CREATE RULE quiet AS ON DELETE TO holdfast_claim DO ALSO NOTHING",
              "ALTER TABLE holdfast_lock ENABLE ROW LEVEL SECURITY"));
      assertThat(warningsOf(openAndDiagnose()))
          .anyMatch(text -> text.startsWith("the table holdfast_claim has the rule 'quiet'"))
          .anyMatch(text -> text.startsWith("the table holdfast_lock has row security"))
          .hasSize(2);
    }

    @Test
    void tables_that_a_third_user_made_in_a_schema_of_another_are_reported() throws Exception {
      Database guest = database.withoutDdl();
      database.execute(
          List.of(
              "CREATE SCHEMA shared",
              "GRANT CREATE, USAGE ON SCHEMA shared TO " + guest.user(),
              "GRANT USAGE ON SCHEMA shared TO PUBLIC"));
      String inShared = "SET search_path = shared";
      try (Connection connection = guest.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(inShared);
        for (String sql : Schema.statements(new PostgresDialect())) {
          statement.execute(sql);
        }
        statement.execute("GRANT ALL ON ALL TABLES IN SCHEMA shared TO PUBLIC");
      }
      try (Connection connection = database.connect();
          StoreConnection session = new StoreConnection(connection, new PostgresDialect(), false)) {
        session.run(inShared);
        // The owner of the database runs into tables that are not its own.
        assertThat(warningsOf(TableSafety.examine(session)))
            .hasSize(3)
            .allMatch(
                text -> text.contains(" belongs to '" + guest.user() + "', which is neither "));
        session.run("ALTER SCHEMA shared OWNER TO CURRENT_USER");
      }
      try (Connection connection = guest.connect();
          StoreConnection session = new StoreConnection(connection, new PostgresDialect(), false)) {
        session.run(inShared);
        assertThat(TableSafety.examine(session)).as("its own").isEmpty();
      }
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends TableSafetyContract {

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

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends TableSafetyContract {

    private Database database;

    @BeforeEach
    void make() throws Exception {
      database = MariaDbServer.shared().newDatabase();
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
      try (Connection admin = MariaDbServer.shared().admin();
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
          .contains("connections are not encrypted, and do not leave this host (loopback)");
    }
  }
}
