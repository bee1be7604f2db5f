package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Tokens;
import dev.holdfast.testkit.StoredFenceContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsServer(Server.REDIS)
class RedisFenceIT extends StoredFenceContract {

  private final String key = lock + "/data";

  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;
  private RedisFence fence;

  @BeforeEach
  void connect() {
    client = RedisClient.create(RedisServer.shared().url());
    connection = client.connect();
    fence = RedisFence.over(connection, RedisOptions.defaults());
  }

  @Override
  protected Fence fence() {
    return fence;
  }

  @Override
  protected void overwrite(String name, String text) {
    connection.sync().set(fenceKey(name), text);
  }

  @Override
  protected String place(String name) {
    return "key " + fenceKey(name);
  }

  private static String fenceKey(String name) {
    return RedisOptions.defaults().prefix() + "fence:" + RedisFence.tag(name);
  }

  @AfterEach
  void close() {
    client.shutdown();
  }

  @Test
  void a_client_of_the_store_finds_the_same_fence() {
    isTheFenceOf(RedisServer.shared().url());
  }

  @Test
  void a_later_token_refuses_earlier_ones() {
    fence.enter(exclusive(7));
    fence.enter(exclusive(8));

    stale(() -> fence.enter(exclusive(7)), 8);
    stale(() -> fence.check(exclusive(7)), 8);
    stale(() -> fence.set(exclusive(7), key, "old"), 8);
    fence.check(exclusive(8));
    fence.enter(exclusive(8));
    assertThat(connection.sync().get(key)).isNull();
  }

  @Test
  void a_write_and_its_check_are_one_step() {
    fence.set(exclusive(9), key, "nine");

    stale(() -> fence.set(exclusive(8), key, "eight"), 9);
    assertThat(connection.sync().get(key)).isEqualTo("nine");
    fence.set(exclusive(10), key, "ten");
    assertThat(connection.sync().get(key)).isEqualTo("ten");
  }

  @Test
  void a_script_of_the_callers_runs_only_with_a_good_token() {
    String add = "return redis.call('INCRBY', KEYS[1], ARGV[1])";

    assertThat(fence.write(exclusive(5), add, List.of(key), "3")).isEqualTo(3L);
    assertThat(fence.write(exclusive(6), add, List.of(key), "4")).isEqualTo(7L);
    stale(() -> fence.write(exclusive(5), add, List.of(key), "100"), 6);
    assertThat(connection.sync().get(key)).isEqualTo("7");
  }

  @Test
  void a_script_that_fails_is_reported() {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> fence.write(exclusive(5), "return redis.call('NOSUCH')", List.of()))
        .withMessageContaining("Redis refused the fenced write of '" + lock + "'");
  }

  @Test
  void readers_are_checked_against_the_last_writer_and_refuse_no_one() {
    fence.enter(exclusive(5));

    fence.enter(shared(9));
    fence.check(shared(6));
    fence.set(shared(9), key, "by a reader");
    fence.check(exclusive(7));
    stale(() -> fence.check(shared(4)), 5);
  }

  @Test
  void permits_cannot_be_fenced() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fence.enter(proof(5, Mode.PERMIT)))
        .withMessageContaining("verify them");
  }

  @Test
  void a_key_of_another_type_is_refused_and_can_be_reset() {
    String place = fenceKey(lock);
    List<Runnable> foreign =
        List.of(
            () -> connection.sync().rpush(place, "7"),
            () -> connection.sync().hset(place, "7", "7"),
            () -> connection.sync().sadd(place, "7"),
            () -> connection.sync().zadd(place, 7, "7"),
            () -> connection.sync().xadd(place, "7", "7"));
    for (Runnable write : foreign) {
      write.run();
      for (Runnable use :
          List.<Runnable>of(
              () -> fence.enter(exclusive(9)),
              () -> fence.check(exclusive(9)),
              () -> fence.set(exclusive(9), key, "nine"),
              () -> fence.current(lock))) {
        assertThatExceptionOfType(StoreException.class)
            .isThrownBy(use::run)
            .withMessageContaining("key " + place + " holds another type than text")
            .withMessageContaining("holdfast fence reset");
      }
      fence.reset(lock, 8);
      stale(() -> fence.check(exclusive(7)), 8);
      fence.reset(lock, 0);
      assertThat(connection.sync().exists(place)).isZero();
    }
    assertThat(connection.sync().get(key)).isNull();
  }

  /** Tokens of stores with revisions are greater than what Lua's numbers can tell apart. */
  @Test
  void tokens_that_differ_only_in_the_last_digit_are_distinguished() {
    fence.enter(exclusive(Tokens.MAX));

    stale(() -> fence.check(exclusive(Tokens.MAX - 1)), Tokens.MAX);
    fence.check(exclusive(Tokens.MAX));
  }

  private static void stale(Runnable use, long current) {
    assertThatExceptionOfType(StaleTokenException.class)
        .isThrownBy(use::run)
        .satisfies(e -> assertThat(e.current()).isEqualTo(current));
  }

  private Proof proof(long token, Mode mode) {
    return new Proof(lock, token, mode, new Owner("host", 1, "thread", "client", "label"));
  }
}
