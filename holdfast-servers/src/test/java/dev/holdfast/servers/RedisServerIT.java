package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class RedisServerIT {

  @Test
  void what_is_in_the_log_survives_a_kill_and_a_restart() {
    try (RedisServer redis = RedisServer.start("appendonly yes", "appendfsync always")) {
      redis.command("SET", "k", "grüße");
      redis.kill();
      assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);
      redis.restart();
      assertThat(redis.command("GET", "k")).isEqualTo("grüße");
    }
  }

  @Test
  void without_a_log_it_comes_back_empty() {
    try (RedisServer redis = RedisServer.start()) {
      redis.command("SET", "k", "v");
      redis.restart();
      assertThat(redis.command("GET", "k")).isNull();
    }
  }

  @Test
  void a_paused_server_goes_on_where_it_was() {
    try (RedisServer redis = RedisServer.start()) {
      redis.command("SET", "k", "v");
      redis.pause();
      redis.resume();
      assertThat(redis.command("GET", "k")).isEqualTo("v");
    }
  }

  @Test
  @NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
  void a_separate_clock_goes_ahead_and_back_while_it_runs() {
    try (RedisServer redis = RedisServer.startWithClock()) {
      long start = time(redis);
      redis.command("SET", "k", "v", "PX", "1800000");
      redis.shiftClock(Duration.ofHours(1));
      assertThat(time(redis)).isBetween(start + 3_600, start + 3_700);
      assertThat(redis.command("GET", "k")).as("what lives half an hour").isNull();
      redis.command("SET", "k", "v", "PX", "1800000");
      redis.shiftClock(Duration.ofHours(-1));
      assertThat(time(redis)).isBetween(start - 3_600, start - 3_500);
      assertThat((Long) redis.command("PTTL", "k")).isGreaterThan(1_800_000L);
    }
  }

  private static long time(RedisServer redis) {
    return Long.parseLong((String) ((List<?>) redis.command("TIME")).get(0));
  }

  @Test
  void a_server_with_a_password_counts_as_up() {
    try (RedisServer redis = RedisServer.start("requirepass secret")) {
      assertThatThrownBy(() -> redis.command("GET", "k")).hasMessageContaining("NOAUTH");
    }
  }
}
