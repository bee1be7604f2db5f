package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.Nested;

/** The caller's pool on each server. */
class CallersPoolIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class Postgresql extends CallersPoolContract {

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }

    @Override
    String limits() {
      return "SELECT current_setting('lock_timeout') || ' '"
          + " || current_setting('idle_in_transaction_session_timeout')";
    }
  }

  @Nested
  @NeedsServer(Server.MYSQL)
  class MySql extends CallersPoolContract {

    @Override
    SqlServer server() {
      return MySqlServer.shared();
    }

    @Override
    String limits() {
      return "SELECT CONCAT(@@innodb_lock_wait_timeout, ' ', @@wait_timeout)";
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class MariaDb extends CallersPoolContract {

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
    }

    @Override
    String limits() {
      return "SELECT CONCAT(@@innodb_lock_wait_timeout, ' ', @@idle_transaction_timeout)";
    }
  }
}
