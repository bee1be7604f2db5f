package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.Nested;

/** A row that a stopped client has locked, on each server. */
class LockedRowIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends LockedRowContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends LockedRowContract {

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends LockedRowContract {

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }
  }
}
