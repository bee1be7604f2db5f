package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.store.Ask;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The samples of docs/stores/redis.md. */
@NeedsServer(Server.REDIS)
class RedisSamplesIT {

  private final String url = RedisServer.shared().url();

  @Test
  void a_store_is_opened_by_its_url() throws Exception {
    // sample: connect
    Holdfast locks = Holdfast.connect(url); // redis://cache-1:6379
    // end
    assertThatItWorks(locks);
  }

  @Test
  void a_store_works_on_the_client_of_its_caller() throws Exception {
    RedisClient client = RedisClient.create();
    RedisURI uri = RedisURI.create(url);
    try {
      // sample: client
      RedisOptions options = RedisOptions.defaults().prefix("billing:");
      Holdfast locks = Holdfast.builder().store(RedisLockStore.over(client, uri, options)).build();
      // end
      assertThatItWorks(locks);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void a_fence_guards_data_in_redis() throws Exception {
    RedisClient client = RedisClient.create(url);
    try (Holdfast locks = Holdfast.connect(url);
        StatefulRedisConnection<String, String> connection = client.connect()) {
      // sample: fence
      RedisFence fence = RedisFence.over(connection, RedisOptions.defaults());
      try (Lease lease = locks.lock("account/7").acquire()) {
        fence.enter(lease.proof()); // before the first read
        String owner = connection.sync().get("account/7/owner");
        fence.set(lease.proof(), "account/7/owner", owner == null ? "ann" : owner + ", ann");
        fence.write(
            lease.proof(),
            "return redis.call('INCRBY', KEYS[1], ARGV[1])",
            List.of("account/7/balance"),
            "150");
      }
      // end
      assertThat(connection.sync().get("account/7/balance")).isNotNull();
    } finally {
      client.shutdown();
    }
  }

  private static void assertThatItWorks(Holdfast locks) throws InterruptedException {
    try (locks;
        Lease lease = locks.lock(Ask.name()).acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
  }
}
