package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.RedisOptions;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.LockTakerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two who believe to hold the lock, and a fence that lets only the newer one write. */
@NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
class RedlockBrokenExclusionIT {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final LockOptions OPTIONS = LockOptions.defaults().ttl(TTL);

  private RedlockServers servers;
  private RedisServer resource;
  private RedisClient client;
  private StatefulRedisConnection<String, String> data;
  private RedisFence fence;

  @BeforeEach
  void start() {
    servers = RedlockServers.startWithClocks(5, Duration.ofSeconds(60));
    resource = RedisServer.start();
    client = RedisClient.create(resource.url());
    data = client.connect();
    fence = RedisFence.over(data, RedisOptions.defaults());
  }

  @AfterEach
  void stop() {
    client.shutdown();
    resource.close();
    servers.close();
  }

  /** Three nodes whose clocks jump an hour ahead let go of what they should still keep. */
  @Test
  void plain_exclusion_breaks_and_the_fence_saves_the_data() throws Exception {
    LockOptions options = LockOptions.defaults().ttl(Duration.ofSeconds(60));
    try (Holdfast old = Holdfast.connect(servers.url());
        Holdfast next = Holdfast.connect(servers.url());
        Lease first = old.lock("account", options).acquire()) {
      fence.enter(first.proof());
      fence.set(first.proof(), "balance", "100");
      for (int node = 0; node < 3; node++) {
        servers.node(node).shiftClock(Duration.ofHours(1));
      }

      try (Lease second = next.lock("account", options).acquire(Duration.ofSeconds(30))) {
        assertThat(first.isValid()).as("the old holder believes to hold").isTrue();
        assertThat(second.isValid()).as("and so does the new one").isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        fence.enter(second.proof());

        assertThatExceptionOfType(StaleTokenException.class)
            .isThrownBy(() -> fence.set(first.proof(), "balance", "0"));
        fence.set(second.proof(), "balance", "150");
      }
    }
    assertThat(data.sync().get("balance")).isEqualTo("150");
  }

  @Test
  void a_process_that_is_stopped_past_its_ttl_has_an_old_token_when_it_goes_on() throws Exception {
    try (LockTakerProcess taker = LockTakerProcess.start(servers.url(), "account", TTL)) {
      Proof stopped = proof(taker.awaitToken());
      fence.enter(stopped);
      signal("STOP", taker.pid());
      try (Holdfast next = Holdfast.connect(servers.url());
          Lease lease = next.lock("account", OPTIONS).acquire(Duration.ofSeconds(30))) {
        assertThat(lease.token()).isGreaterThan(stopped.token());
        fence.enter(lease.proof());
        signal("CONT", taker.pid());

        assertThatExceptionOfType(StaleTokenException.class)
            .isThrownBy(() -> fence.set(stopped, "balance", "0"));
        fence.set(lease.proof(), "balance", "150");
        assertThat(next.verify(lease.proof())).isTrue();
        assertThat(next.verify(stopped)).isFalse();
      }
    }
    assertThat(data.sync().get("balance")).isEqualTo("150");
  }

  private static Proof proof(long token) {
    Owner owner = new Owner("host", 1, "thread", "client", "label");
    return new Proof("account", token, Mode.EXCLUSIVE, owner);
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
  }
}
