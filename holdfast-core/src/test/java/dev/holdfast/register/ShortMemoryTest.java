package dev.holdfast.register;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShortMemoryTest {

  private final Ticker ticker = Ticker.system("short-memory-test");
  private final ShortMemory<String> memory = new ShortMemory<>(ticker);

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void what_is_put_is_remembered_until_it_is_removed() {
    memory.put("a", "value", Duration.ofHours(1));

    assertThat(memory.get("a")).isEqualTo("value");
    memory.remove("a");
    assertThat(memory.get("a")).isNull();
  }

  @Test
  void what_has_had_its_time_is_forgotten() {
    memory.put("a", "value", Duration.ZERO);

    assertThat(memory.get("a")).isNull();
  }

  @Test
  void what_nobody_removes_does_not_pile_up() {
    for (int i = 0; i < 100_000; i++) {
      memory.put("id-" + i, "value", Duration.ofNanos(1));
    }

    assertThat(memory.size()).isLessThan(5_000);
  }

  @Test
  void many_that_are_in_use_are_all_remembered() {
    for (int i = 0; i < 10_000; i++) {
      memory.put("id-" + i, "value", Duration.ofHours(1));
    }

    assertThat(memory.size()).isEqualTo(10_000);
  }
}
