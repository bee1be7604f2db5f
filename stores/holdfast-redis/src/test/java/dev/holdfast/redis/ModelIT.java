package dev.holdfast.redis;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.store.ModelRun;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis answers as the memory store does; its clock cannot be driven. */
@NeedsServer(Server.REDIS)
class ModelIT {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void it_answers_what_the_memory_store_answers(long seed) throws Exception {
    try (RedisFixture fixture = new RedisFixture(RedisServer.shared().url());
        LockStore one = fixture.open();
        LockStore two = fixture.open()) {
      String prefix = UUID.randomUUID() + " ";
      new ModelRun(seed, prefix, List.of(one, two), new ManualTicker(), null).run();
    }
  }
}
