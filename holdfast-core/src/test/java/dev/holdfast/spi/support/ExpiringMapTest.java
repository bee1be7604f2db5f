package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Ticker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExpiringMapTest {

  private final Ticker ticker = Ticker.system("expiring-map-test");
  private final ExpiringMap<String, String> map = new ExpiringMap<>(ticker);

  @AfterEach
  void close() {
    ticker.close();
  }

  @Test
  void an_entry_stays_until_it_is_removed() {
    map.put("a", "value", Duration.ofHours(1));

    assertThat(map.get("a")).isEqualTo("value");
    map.remove("a");
    assertThat(map.get("a")).isNull();
  }

  @Test
  void an_expired_entry_is_missing() {
    map.put("a", "value", Duration.ZERO);

    assertThat(map.get("a")).isNull();
  }

  @Test
  void a_second_entry_of_a_key_has_its_own_lifetime() {
    map.put("a", "value", Duration.ZERO);
    map.put("a", "value", Duration.ofHours(1));

    assertThat(map.get("a")).isEqualTo("value");
  }

  @Test
  void expired_entries_do_not_pile_up() {
    for (int i = 0; i < 100_000; i++) {
      map.put("id-" + i, "value", Duration.ofNanos(1));
    }

    assertThat(map.size()).isLessThan(5_000);
  }

  @Test
  void all_live_entries_are_kept() {
    for (int i = 0; i < 10_000; i++) {
      map.put("id-" + i, "value", Duration.ofHours(1));
    }

    assertThat(map.size()).isEqualTo(10_000);
  }
}
