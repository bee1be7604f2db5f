package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseHandleTest {

  private static final long SEED = 118;
  private static final String ID = "5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7";
  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "billing-7");
  private static final LeaseHandle HANDLE = handle("orders/42", ID);

  @Test
  void whatever_its_parts_are_a_handle_is_read_back_as_it_was_written() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 5_000; round++) {
      LeaseHandle handle =
          new LeaseHandle(
              "n" + OddText.next(random),
              "%016x%016x".formatted(random.nextLong(), random.nextLong()),
              random.nextLong(1, Tokens.MAX),
              Duration.ofMillis(random.nextLong(1, 1_000_000_000)),
              new Owner(OddText.next(random), 7, OddText.next(random), "c", OddText.next(random)),
              Duration.ofMillis(random.nextLong(1_000_000)),
              random.nextBoolean() ? null : Duration.ofMillis(random.nextLong(1, 1_000_000)),
              random.nextLong(Long.MAX_VALUE));
      LeaseHandle read = LeaseHandle.parse(handle.secret());
      assertThat(read).as("seed %d, round %d", SEED, round).isEqualTo(handle);
      assertThat(read.secret()).as("seed %d, round %d", SEED, round).isEqualTo(handle.secret());
      assertThat(read.owner()).as("seed %d, round %d", SEED, round).isEqualTo(handle.owner());
    }
  }

  private static LeaseHandle handle(String lock, String id) {
    return new LeaseHandle(
        lock,
        id,
        118,
        Duration.ofSeconds(30),
        OWNER,
        Duration.ofSeconds(5),
        Duration.ofMinutes(2),
        1_000_000);
  }

  @Test
  void what_has_passed_of_the_longest_hold_is_between_nothing_and_the_ttl() {
    assertThat(HANDLE.options(1_000_000).maxHold()).isEqualTo(Duration.ofMinutes(2));
    assertThat(HANDLE.options(1_010_000).maxHold()).isEqualTo(Duration.ofSeconds(110));
    assertThat(HANDLE.options(500).maxHold()).isEqualTo(Duration.ofMinutes(2));
    assertThat(HANDLE.options(9_000_000).maxHold()).isEqualTo(Duration.ofSeconds(90));
    assertThat(HANDLE.options(9_000_000).minHold()).isEqualTo(Duration.ofSeconds(5));
    assertThat(HANDLE.options(9_000_000).ttl()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void its_text_form_fits_an_environment_variable() {
    assertThat(HANDLE.secret()).startsWith("hf2.").matches("[A-Za-z0-9.%+*_-]+");
  }

  @Test
  void its_parts_can_be_read() {
    assertThat(HANDLE.lockName()).isEqualTo("orders/42");
    assertThat(HANDLE.claimId()).isEqualTo(ID);
    assertThat(HANDLE.token()).isEqualTo(118);
    assertThat(HANDLE.ttl()).isEqualTo(Duration.ofSeconds(30));
    assertThat(HANDLE.owner()).isEqualTo(OWNER);
  }

  @Test
  void it_is_equal_to_a_handle_on_the_same_claim() {
    assertThat(HANDLE)
        .isEqualTo(LeaseHandle.parse(HANDLE.secret()))
        .hasSameHashCodeAs(LeaseHandle.parse(HANDLE.secret()))
        .isNotEqualTo(handle("orders/42", ID.replace('5', '6')))
        .isNotEqualTo(handle("orders/43", ID));
  }

  @Test
  void its_description_does_not_show_the_claim_id() {
    assertThat(HANDLE).hasToString("LeaseHandle[orders/42, token 118]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hf1",
        "hf2.a.b.1.1.c",
        "hf1.a.b.1.1",
        "hf1.a.b.1.1.c.d",
        "nonsense",
        "......"
      })
  void what_is_not_a_handle_is_refused(String text) {
    assertThatThrownBy(() -> LeaseHandle.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "not a lease handle; expected the text that was printed when the lock was acquired");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hf2..5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.0.-.1000", // no lock
        // name
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.many.30000.h%3B1%3Bt%3Bc%3Bl.0.-.1000",
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.long.h%3B1%3Bt%3Bc%3Bl.0.-.1000",
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.nobody.0.-.1000",
        "hf2.lo%ck.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.0.-.1000",
        "hf2.lock%.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.0.-.1000",
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.short.-.1000",
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.0.never.1000",
        "hf2.lock.5ec4e7c1a10ca4a4b0d1e2f3a4b5c6d7.118.30000.h%3B1%3Bt%3Bc%3Bl.0.-.today",
      })
  void a_damaged_handle_is_refused(String text) {
    assertThatThrownBy(() -> LeaseHandle.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("damaged lease handle: one of its parts is none that Holdfast writes");
  }

  /** Each of these was taken before, or made the store the judge. */
  @Test
  void a_part_that_the_engine_does_not_make_is_refused() {
    String[] parts = HANDLE.secret().split("\\.", -1);
    List<String> ids =
        List.of("", "x%20y%0Az", "x%00y", "%2E%2E%2Fb", "%27+OR+1%3D1+--", "x".repeat(1 << 20));
    ids.forEach(id -> assertDamaged(parts, 2, id));
    assertDamaged(parts, 2, ID.toUpperCase(Locale.ROOT));
    assertDamaged(parts, 2, ID + "0");
    for (long token : new long[] {Long.MIN_VALUE, -1, 0, Tokens.MAX + 1, Long.MAX_VALUE}) {
      assertDamaged(parts, 3, "" + token);
    }
    assertDamaged(parts, 3, "+118");
    assertDamaged(parts, 3, "0118");
    for (long ttl : new long[] {Long.MIN_VALUE, -5, 0, Duration.ofDays(3651).toMillis()}) {
      assertDamaged(parts, 4, "" + ttl);
    }
    assertDamaged(parts, 4, "" + Long.MAX_VALUE);
    assertDamaged(parts, 6, "-1");
    assertDamaged(parts, 7, "0");
    assertDamaged(parts, 8, "-1");
  }

  private static void assertDamaged(String[] parts, int part, String text) {
    String[] altered = parts.clone();
    altered[part] = text;
    assertThatThrownBy(() -> LeaseHandle.parse(String.join(".", altered)))
        .as(text.substring(0, Math.min(40, text.length())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("damaged lease handle")
        .hasMessageNotContaining(ID);
  }

  @Test
  void no_way_of_damaging_a_handle_makes_an_error_that_shows_the_claim_id() {
    for (String damaged : damaged(HANDLE.secret())) {
      try {
        LeaseHandle.parse(damaged); // some damage cannot be seen
      } catch (IllegalArgumentException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          assertThat(String.valueOf(cause.getMessage())).as(damaged).doesNotContain(ID);
        }
      }
    }
  }

  /** Cut off anywhere, any two parts exchanged, any part dropped, doubled or broken. */
  private static List<String> damaged(String text) {
    List<String> result = new ArrayList<>();
    for (int length = 0; length < text.length(); length++) {
      result.add(text.substring(0, length));
      result.add(text.substring(length));
    }
    String[] parts = text.split("\\.", -1);
    for (int i = 1; i < parts.length; i++) {
      for (int j = 1; j < parts.length; j++) {
        String[] changed = parts.clone();
        changed[i] = parts[j];
        result.add(String.join(".", changed));
        changed[j] = parts[i];
        result.add(String.join(".", changed));
      }
      String[] broken = parts.clone();
      broken[i] = broken[i] + "%";
      result.add(String.join(".", broken));
      broken[i] = "%ZZ" + parts[i];
      result.add(String.join(".", broken));
    }
    return result;
  }
}
