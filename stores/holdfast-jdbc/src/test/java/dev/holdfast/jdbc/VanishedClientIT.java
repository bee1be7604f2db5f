package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.Nested;

/** Clients that vanish, on each server. */
class VanishedClientIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends VanishedClientContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    @Override
    String connectionCount(String databaseName) {
      // The server visits its databases itself, to vacuum them.
      return "SELECT count(*) FROM pg_stat_activity"
          + " WHERE backend_type = 'client backend' AND datname = '"
          + databaseName
          + "'";
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends VanishedClientContract {

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }

    @Override
    String readable() {
      return "&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    @Override
    String connectionCount(String databaseName) {
      return "SELECT count(*) FROM information_schema.processlist WHERE db = '"
          + databaseName
          + "'";
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends VanishedClientContract {

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }

    @Override
    String connectionCount(String databaseName) {
      return "SELECT count(*) FROM information_schema.processlist WHERE db = '"
          + databaseName
          + "'";
    }
  }
}
