package dev.holdfast.redis.contract;

import dev.holdfast.redis.RedisFixture;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.REDIS)
class RedisLockStoreContractIT extends LockStoreContract {

  @Override
  protected StoreFixture fixture() {
    return new RedisFixture(RedisServer.shared().url());
  }
}
