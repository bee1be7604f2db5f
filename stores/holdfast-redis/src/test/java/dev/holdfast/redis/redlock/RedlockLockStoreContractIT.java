package dev.holdfast.redis.redlock;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockStoreContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedlockLockStoreContractIT extends LockStoreContract {

  @Override
  protected StoreFixture fixture() {
    return RedlockServers.shared().fixture();
  }
}
