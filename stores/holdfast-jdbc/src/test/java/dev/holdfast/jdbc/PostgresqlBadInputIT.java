package dev.holdfast.jdbc;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.POSTGRESQL)
class PostgresqlBadInputIT extends BadInputContract {

  @Override
  SqlServer server() {
    return PostgresServer.shared();
  }

  @Test
  void a_user_who_may_not_read_a_table() throws Exception {
    Database guest = database().withoutDdl();
    database().execute(Schema.statements(new PostgresDialect()));
    database().execute(List.of("REVOKE ALL ON holdfast_claim FROM " + guest.user()));

    refused(
        guest.url(), "this user lacks a right: ERROR: permission denied for table holdfast_claim.");
  }
}
