package dev.holdfast.jdbc;

import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.MySqlServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresPair;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Outages of each server, and the fail-over of PostgreSQL. */
class OutageIT {

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class Postgresql extends SqlOutage {

    @Override
    SqlServer start() {
      return PostgresServer.start();
    }
  }

  @Nested
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  class PostgresqlFailover {

    @Test
    void clients_find_the_promoted_standby_and_tokens_go_on_rising() throws Exception {
      try (PostgresPair pair = PostgresPair.startSynchronous();
          OutageScene scene = new OutageScene(pair.url(pair.newDatabase()))) {
        scene.survives(pair.primary()::kill, pair::promote);
      }
    }
  }

  @Nested
  @NeedsServer(value = Server.MYSQL, ofItsOwn = true)
  class MySql extends SqlOutage {

    @Override
    SqlServer start() {
      return MySqlServer.start();
    }
  }

  @Nested
  @NeedsServer(value = Server.MARIADB, ofItsOwn = true)
  class MariaDb extends SqlOutage {

    @Override
    SqlServer start() {
      return MariaDbServer.start();
    }
  }
}
