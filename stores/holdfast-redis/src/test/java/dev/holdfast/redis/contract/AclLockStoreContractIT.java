package dev.holdfast.redis.contract;

import dev.holdfast.redis.DocumentedUser;
import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A user who may do no more than the documentation says, and break by force. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class AclLockStoreContractIT extends LockStoreContract {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start(DocumentedUser.setting("+get", "+set", "+del"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture fixture() {
    return new RedisFixture(DocumentedUser.url(server.url()));
  }
}
