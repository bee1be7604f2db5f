package dev.holdfast.examples.paused;

import dev.holdfast.examples.stories.Worker;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.MariaDbServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.PostgresServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.servers.SqlServer;
import dev.holdfast.servers.ZooKeeperServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** Every guard: those that need no server first. */
class PausedProcessIT {

  @Nested
  class BehindARequestGuard extends PausedProcessContract {

    private @Nullable Worker worker;

    @Override
    Guard guard() {
      return Guard.MEMORY_OVER_HTTP;
    }

    @Override
    String address(String store) throws Exception {
      worker = Worker.start(store);
      return worker.address();
    }

    @AfterEach
    void stop() {
      if (worker != null) {
        worker.close();
      }
    }
  }

  @Nested
  class InAFile extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.FILE;
    }

    @Override
    String address(String store) {
      return folder.toString();
    }
  }

  @Nested
  class InSqlite extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.SQLITE;
    }

    @Override
    String address(String store) throws Exception {
      String url = "jdbc:sqlite:" + folder.resolve("data.db");
      InTable.prepare(url);
      return url;
    }
  }

  @Nested
  class InAColumn extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.COLUMN;
    }

    @Override
    String address(String store) throws Exception {
      String url = "jdbc:sqlite:" + folder.resolve("data.db");
      InColumn.prepare(url);
      return url;
    }
  }

  /** A database of the test's own on a server. */
  abstract static class OnAServer extends PausedProcessContract {

    private @Nullable Database database;

    abstract SqlServer server();

    @Override
    String address(String store) throws Exception {
      database = server().newDatabase();
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
  @NeedsServer(Server.POSTGRESQL)
  class InPostgres extends OnAServer {

    @Override
    Guard guard() {
      return Guard.POSTGRESQL;
    }

    @Override
    SqlServer server() {
      return PostgresServer.shared();
    }
  }

  @Nested
  @NeedsServer(Server.MARIADB)
  class InMariaDb extends OnAServer {

    @Override
    Guard guard() {
      return Guard.MARIADB;
    }

    @Override
    SqlServer server() {
      return MariaDbServer.shared();
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

  @Nested
  @NeedsServer(value = Server.ZOOKEEPER, ofItsOwn = true)
  class InAZooKeeper extends PausedProcessContract {

    private @Nullable ZooKeeperServer server;

    @Override
    Guard guard() {
      return Guard.ZOOKEEPER;
    }

    @Override
    String address(String store) {
      // The fence has to refuse what is stale; the end of the session must not do it first.
      server = ZooKeeperServer.start("maxSessionTimeout=" + InZooKeeper.SESSION_MILLIS);
      return server.connectString();
    }

    @AfterEach
    void stop() {
      if (server != null) {
        server.close();
      }
    }
  }

  @Nested
  @NeedsServer(Server.ETCD)
  class InAnEtcd extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.ETCD;
    }

    @Override
    String address(String store) {
      return EtcdServer.shared().url();
    }
  }
}
