package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.MEMCACHED, ofItsOwn = true)
class MemcachedServerIT {

  @Test
  void it_comes_back_empty_after_a_kill() throws Exception {
    try (MemcachedServer memcached = MemcachedServer.start()) {
      assertThat(memcached.command("ms k 1 T60 c\r\nv")).startsWith("HD");
      memcached.kill();
      assertThatThrownBy(() -> memcached.command("version")).isInstanceOf(IOException.class);
      memcached.restart();
      assertThat(memcached.command("mg k v")).isEqualTo("EN");
    }
  }
}
