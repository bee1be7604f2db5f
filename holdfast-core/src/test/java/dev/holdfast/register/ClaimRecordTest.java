package dev.holdfast.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimRecordTest {

  private static final Owner OWNER = new Owner("a host;", 7, "thread 1", "client=", "läbel ☂");

  @Test
  void what_is_written_is_read_back() {
    for (String value : List.of("", " ", "-", "=", "line\nand \"quotes\" ☂ %41+")) {
      ClaimRecord record =
          record("orders/42 ☂", value)
              .granted(99)
              .refreshed(claim("orders/42 ☂", value), 17, Duration.ofSeconds(3));

      assertThat(ClaimRecord.parse("orders/42 ☂", "key x", record.encode())).isEqualTo(record);
    }
    ClaimRecord left = record("a", null).lingering(Duration.ofNanos(5), Duration.ofNanos(6));
    assertThat(ClaimRecord.parse("a", "key x", left.encode())).isEqualTo(left);
  }

  @Test
  void another_format_is_refused_as_such() {
    assertThatThrownBy(() -> ClaimRecord.parse("a", "key x", "2 and what not"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("The record of 'a' (key x) cannot be read: it has a format");
  }

  @Test
  void a_text_that_is_no_record_is_refused_without_quoting_it() {
    String good = record("a", null).encode();
    for (String text : List.of("1 a", good + " more", good.replace("MUTEX", "MUTE"))) {
      assertThatThrownBy(() -> ClaimRecord.parse("a", "key x", text))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("The record of 'a' (key x) cannot be read: it is not a record")
          .hasNoCause();
    }
  }

  @Test
  void the_record_of_another_lock_is_refused() {
    assertThatThrownBy(() -> ClaimRecord.parse("b", "key x", record("a", null).encode()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'b'");
  }

  @Test
  void the_id_is_not_shown() {
    assertThat(record("a", null).toString()).contains("a host;").doesNotContain("secret-id");
  }

  @Test
  void the_age_is_the_time_held_plus_the_time_since_the_last_write() {
    ClaimRecord record = record("a", null).refreshed(claim("a", null), 0, Duration.ofSeconds(100));

    assertThat(record.info(Duration.ofSeconds(20)).age()).isEqualTo(Duration.ofSeconds(110));
    assertThat(record.info(Duration.ofSeconds(31)).age()).isEqualTo(Duration.ofSeconds(100));
  }

  private static ClaimRecord record(String lock, String value) {
    return ClaimRecord.of(claim(lock, value), 3);
  }

  private static Claim claim(String lock, String value) {
    return new Claim(
        "secret-id", lock, Kind.MUTEX, 1, 1, OWNER, Duration.ofSeconds(30), value, 3, 0);
  }
}
