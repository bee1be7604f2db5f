package dev.holdfast.examples.paused;

import dev.holdfast.servers.Database;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The guards of data on real servers. */
class PausedProcessIT {

  @Nested
  @NeedsServer(Server.POSTGRESQL)
  class InPostgres extends PausedProcessContract {

    private @Nullable Database database;

    @Override
    Guard guard() {
      return Guard.POSTGRESQL;
    }

    @Override
    String address(String store) throws Exception {
      database = PostgresServer.shared().newDatabase();
      InTable.prepare(database.url());
      return database.url();
    }

    @AfterEach
    void drop() {
      if (database != null) {
        database.close();
      }
    }
  }

  @Nested
  @NeedsServer(Server.REDIS)
  class InARedis extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.REDIS;
    }

    @Override
    String address(String store) {
      return RedisServer.shared().url();
    }
  }
}
