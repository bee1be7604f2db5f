package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class EvictionIT {

  private static final LockOptions HOUR = LockOptions.defaults().ttl(Duration.ofHours(1));

  @Test
  void a_holder_learns_of_an_eviction_long_before_its_next_renewal() throws Exception {
    try (RedisServer server = RedisServer.start();
        Holdfast holder = Holdfast.connect(server.url());
        Holdfast operator = Holdfast.connect(server.url());
        Lease lease = holder.lock("report", HOUR).acquire()) {
      CompletableFuture<Void> lost = new CompletableFuture<>();
      lease.onLost(() -> lost.complete(null));

      assertThat(operator.breakLock("report")).isTrue();

      lost.get(1, TimeUnit.MINUTES);
    }
  }
}
