package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
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
  void a_server_with_a_password_counts_as_up() {
    try (RedisServer redis = RedisServer.start("requirepass secret")) {
      assertThatThrownBy(() -> redis.command("GET", "k")).hasMessageContaining("NOAUTH");
    }
  }
}
