package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisCluster;
import dev.holdfast.servers.RedisSentinel;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.store.Ask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A replica takes over while a lock is held and waited for: unknown, then recovery. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class PromotionIT {

  private static final String LOCK = "lock";
  private static final LockOptions PATIENT = LockOptions.defaults().ttl(Duration.ofSeconds(60));

  @Test
  void behind_sentinel() throws Exception {
    try (RedisSentinel servers = RedisSentinel.start()) {
      RedisServer master = servers.master();
      survives(servers.url(), master, () -> servers.awaitAnother(master));
    }
  }

  @Test
  void in_a_cluster() throws Exception {
    try (RedisCluster servers = RedisCluster.start()) {
      String key = new Keys(RedisOptions.defaults().prefix()).lock(LOCK);
      RedisServer master = servers.masterOf(key);
      survives(servers.url(), master, () -> servers.awaitAnother(key, master));
    }
  }

  /** It would end claims that the first run had granted. */
  @Test
  void an_eviction_is_not_sent_again_when_a_node_of_a_cluster_breaks() throws Exception {
    try (RedisCluster servers = RedisCluster.start();
        RedisFixture fixture = new RedisFixture(servers.url());
        LockStore store = fixture.open()) {
      RedisServer master = servers.masterOf(new Keys(RedisOptions.defaults().prefix()).lock(LOCK));
      Ask.granted(store, Ask.mutex(LOCK));
      master.pause();
      CompletableFuture<Boolean> eviction =
          store.evict(LOCK, LockStore.ANY_TOKEN).toCompletableFuture();
      assertThat(eviction).isNotDone();

      master.kill();

      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.of(eviction))
          .withMessageContaining("may or may not have taken effect")
          .withMessageNotContaining("none within"); // not by the deadline
    }
  }

  private static void survives(String url, RedisServer master, Runnable awaitPromotion)
      throws Exception {
    try (Holdfast holder = Holdfast.connect(url);
        Holdfast other = Holdfast.connect(url)) {
      Lease lease = holder.lock(LOCK, PATIENT).acquire();
      CompletableFuture<Lease> waiter = other.lock(LOCK, PATIENT).acquireAsync();
      Awaitility.await().until(() -> holder.inspect(LOCK).waiters().size() == 1);
      Awaitility.await().until(() -> replicated(master));

      master.kill();
      assertThatExceptionOfType(StoreException.class).isThrownBy(lease::renew);
      assertThat(lease.isValid()).as("no answer is no loss").isTrue();
      awaitPromotion.run();

      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> isRenewed(lease));
      assertThat(waiter).isNotDone();
      lease.close();
      Lease next = waiter.get(60, TimeUnit.SECONDS);
      assertThat(next.token()).isGreaterThan(lease.token());
      next.close();
    }
  }

  private static boolean isRenewed(Lease lease) {
    try {
      lease.renew();
      return true;
    } catch (StoreException notYet) {
      return false;
    }
  }

  /** {@return whether the replica has acknowledged all that the master wrote} */
  private static boolean replicated(RedisServer master) {
    String offset = master.info("replication", "master_repl_offset");
    return master.info("replication", "slave0").contains("offset=" + offset + ",");
  }
}
