package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.redis.client.ServerInfo;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A master that dies before its last write has reached the replica. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class FailoverIT {

  private RedisServer master;
  private RedisServer replica;
  private RedisServer resource;
  private RedisClient client;
  private StatefulRedisConnection<String, String> data;

  @BeforeEach
  void start() {
    master = RedisServer.start("repl-diskless-sync-delay 0");
    replica = RedisServer.start("replicaof 127.0.0.1 " + master.port());
    resource = RedisServer.start();
    client = RedisClient.create(resource.url());
    data = client.connect();
    awaitReplica();
  }

  @AfterEach
  void stop() {
    client.shutdown();
    resource.close();
    replica.close();
    master.close();
  }

  @Test
  void both_hold_the_lock_and_the_fence_refuses_the_old_holder() throws Exception {
    RedisFence fence = RedisFence.over(data, RedisOptions.defaults());
    try (Holdfast old = Holdfast.connect(master.url());
        Lease first = lateToTheReplica(old)) {
      fence.enter(first.proof());
      fence.set(first.proof(), "balance", "100");
      master.kill();
      replica.resume();
      replica.command("REPLICAOF", "NO", "ONE");

      try (Holdfast next = Holdfast.connect(replica.url());
          Lease second = next.lock("account").acquire(Duration.ofSeconds(10))) {
        assertThat(first.isValid()).as("the old holder thinks that it holds").isTrue();
        assertThat(second.isValid()).as("the new holder holds").isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        fence.enter(second.proof());

        assertThatExceptionOfType(StaleTokenException.class)
            .isThrownBy(() -> fence.set(first.proof(), "balance", "0"))
            .withMessageContaining(String.valueOf(second.token()));
        fence.set(second.proof(), "balance", "150");
      }
    }

    assertThat(data.sync().get("balance")).isEqualTo("150");
  }

  /** Nothing is granted that the replica does not have, so nothing is lost with the master. */
  @Test
  void a_client_that_waits_for_replicas_gets_no_grant_that_only_the_master_has() throws Exception {
    String waiting = master.url() + "?wait-for-replicas=1";
    try (Holdfast locks = Holdfast.connect(waiting)) {
      locks.lock("account").acquire().close();

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> lateToTheReplica(locks))
          .withMessageContaining("0 of 1 replicas");

      replica.resume();
      awaitReplica();
      try (Lease lease = locks.lock("account").acquire(Duration.ofSeconds(10))) {
        assertThat(lease.isValid()).isTrue();
        master.kill();
        replica.command("REPLICAOF", "NO", "ONE");
        try (Holdfast next = Holdfast.connect(replica.url())) {
          assertThat(next.inspect("account").isHeld()).isTrue();
          assertThat(next.lock("account").tryAcquire()).isNull();
        }
      }
    }
  }

  /** The replica is cut off and stopped, so that it cannot read the write later either. */
  private Lease lateToTheReplica(Holdfast locks) throws InterruptedException {
    replica.pause();
    master.command("CLIENT", "KILL", "TYPE", "replica");
    return locks.lock("account").acquire();
  }

  private void awaitReplica() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                ServerInfo.parse((String) replica.command("INFO", "replication"))
                    .text("master_link_status", "")
                    .equals("up"));
  }
}
