package dev.holdfast.memcached;

import dev.holdfast.servers.MemcachedServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.EngineContract;
import dev.holdfast.testkit.StoreFixture;

@NeedsServer(Server.MEMCACHED)
class MemcachedEngineContractIT extends EngineContract {
  @Override
  protected StoreFixture fixture() {
    return new MemcachedFixture(MemcachedServer.shared().url());
  }
}
