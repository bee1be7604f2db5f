package dev.holdfast.cli.server;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedisStoreIT extends ServerStoresContract {

  private static final String PASSWORD = "open-sesame";

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start("requirepass " + PASSWORD);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String url() {
    return server.url();
  }

  @Override
  String url(String password) {
    return server.url().replace("redis://", "redis://:" + password + "@");
  }

  @Override
  String user() {
    return "";
  }

  @Override
  String password() {
    return PASSWORD;
  }
}
