package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.PostgresDialect;
import dev.holdfast.jdbc.sql.Schema;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Wrong settings on each server. */
class BadInputIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends BadInputContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    @Test
    void a_user_without_rights_to_read_a_table() throws Exception {
      Database guest = database().withoutDdl();
      database().execute(Schema.statements(new PostgresDialect()));
      database().execute(List.of("REVOKE ALL ON holdfast_claim FROM " + guest.user()));

      refused(
          guest.url(),
          "this user lacks a right: ERROR: permission denied for table holdfast_claim.");
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends BadInputContract {

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends BadInputContract {

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }
  }
}
