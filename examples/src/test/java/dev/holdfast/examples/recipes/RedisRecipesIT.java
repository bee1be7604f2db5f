package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The locks that are a key in Redis. */
@NeedsServer(Server.REDIS)
class RedisRecipesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String url = RedisServer.shared().url();
  private final RedisClient client = RedisClient.create(url);
  private final RedisCommands<String, String> redis = client.connect().sync();
  private final String key = "recipe:" + UUID.randomUUID();

  @AfterEach
  void close() {
    redis.del(key);
    client.shutdown();
  }

  @Test
  @Shows("setnx-then-expire | a crash locks for ever | **yes**")
  void a_crash_between_setnx_and_expire_locks_for_ever_and_holdfast_goes_on() throws Exception {
    SetnxLock crashing =
        new SetnxLock(redis, key, 1) {
          @Override
          void between() {
            throw new IllegalStateException("the process is killed here");
          }
        };
    assertThatThrownBy(crashing::tryLock).isInstanceOf(IllegalStateException.class);
    assertThat(redis.ttl(key)).as("-1: no ttl at all").isEqualTo(-1);
    assertThat(new SetnxLock(redis, key, 1).tryLock()).isFalse();
    new Holdfasts(url).replaceADeadHolder();
  }

  @Test
  @Shows({
    "set-nx-px-and-del | a crash locks for ever | no",
    "set-nx-px-and-del | frees the lock of others | **yes**"
  })
  void a_plain_del_deletes_the_lock_of_the_next_holder_and_holdfast_does_not() throws Exception {
    SetPxLock slow = new SetPxLock(redis, key, 200);
    assertThat(slow.tryLock()).isTrue();
    SetPxLock next = new SetPxLock(redis, key, 60_000);
    // The ttl of the slow one ends while it works.
    await().atMost(PATIENCE).until(next::tryLock);
    slow.unlock(); // and now it has finished
    SetPxLock third = new SetPxLock(redis, key, 60_000);
    assertThat(third.tryLock()).as("next and third both hold it").isTrue();
    new Holdfasts(url).leaveTheNextHolderAlone();
  }

  @Test
  @Shows("setnx-then-expire | frees the lock of others | **yes**")
  void the_older_recipe_deletes_it_too() {
    SetnxLock slow = new SetnxLock(redis, key, 1);
    assertThat(slow.tryLock()).isTrue();
    await().atMost(PATIENCE).until(() -> new SetnxLock(redis, key, 60).tryLock());
    slow.unlock();
    assertThat(new SetnxLock(redis, key, 60).tryLock()).as("two holders").isTrue();
  }

  @Test
  @Shows({
    "setnx-then-expire | a stale holder writes | **yes**",
    "set-nx-px-and-del | a stale holder writes | **yes**"
  })
  void the_holder_does_not_learn_that_it_is_over_and_holdfast_refuses_it() throws Exception {
    assertThat(new SetnxLock(redis, key, 1).tryLock()).isTrue();
    await().atMost(PATIENCE).until(() -> new SetPxLock(redis, key, 200).tryLock());
    await().atMost(PATIENCE).until(() -> new SetPxLock(redis, key, 60_000).tryLock());
    // Nothing tells the first two; what they write is taken, because there is no token to refuse.
    assertThat(redis.append(key + ":data", "of the first, ")).isPositive();
    assertThat(redis.append(key + ":data", "of the second")).isPositive();
    assertThat(redis.getdel(key + ":data")).isEqualTo("of the first, of the second");
    new Holdfasts(url).refuseAStaleHolder();
  }

  @Test
  @Shows({
    "setnx-then-expire | not reentrant | **yes**",
    "set-nx-px-and-del | not reentrant | **yes**"
  })
  void neither_is_reentrant_and_holdfast_is() throws Exception {
    SetPxLock held = new SetPxLock(redis, key, 60_000);
    assertThat(held.tryLock()).isTrue();
    assertThat(held.tryLock()).isFalse();
    held.unlock();
    SetnxLock older = new SetnxLock(redis, key, 60);
    assertThat(older.tryLock()).isTrue();
    assertThat(older.tryLock()).isFalse();
    new Holdfasts(url).letTheHolderInAgain();
  }
}
