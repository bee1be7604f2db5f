package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimTest {

  private static final String ID = "c1a1-secret-canary";
  private static final Owner OWNER = new Owner("web-3", 4121, "main", "client", "billing-7");

  private static Claim mutex(String id) {
    return new Claim(id, "orders/42", Kind.MUTEX, 1, 1, OWNER, Duration.ofSeconds(30), null, 0, 0);
  }

  @Test
  void its_text_tells_everything_but_the_id() {
    assertThat(mutex(ID))
        .hasToString("Claim[orders/42, MUTEX 1/1, billing-7 (host web-3, pid 4121)]");
  }

  @Test
  void whatever_carries_a_claim_hides_the_id_too() {
    Claim claim = mutex(ID);
    assertThat(Departure.of(claim).toString()).doesNotContain(ID);
    assertThat(Departure.withTombstone(claim).toString()).doesNotContain(ID);
    assertThat(claim.asking(3, 9).toString()).doesNotContain(ID);
    assertThat(claim.publishing("v").toString()).doesNotContain(ID);
  }

  @Test
  void two_claims_are_equal_when_their_ids_are() {
    assertThat(mutex(ID))
        .isEqualTo(mutex(ID).publishing("other").asking(4, 9))
        .hasSameHashCodeAs(mutex(ID))
        .isNotEqualTo(mutex("another"))
        .isNotEqualTo(ID);
  }

  @Test
  void a_waiter_lives_for_ten_seconds_at_most() {
    assertThat(mutex(ID).waitingTtl()).isEqualTo(Duration.ofSeconds(10));
    Claim brief = new Claim(ID, "x", Kind.MUTEX, 1, 1, OWNER, Duration.ofMillis(300), null, 0, 0);
    assertThat(brief.waitingTtl()).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void a_value_of_1024_bytes_is_taken_and_one_more_is_refused() {
    assertThat(mutex(ID).publishing("v".repeat(1024)).value()).hasSize(1024);
    assertThatThrownBy(() -> mutex(ID).publishing("v".repeat(1025)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("value of 'orders/42' is longer than 1024 bytes");
  }

  @Test
  void a_value_with_a_nul_character_is_refused() {
    assertThatThrownBy(() -> mutex(ID).publishing("a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("value of 'orders/42' has a NUL character at index 1");
  }

  @Test
  void a_value_is_measured_in_bytes_of_utf_8() {
    assertThat(mutex(ID).publishing("é".repeat(512)).value()).hasSize(512);
    assertThatThrownBy(() -> mutex(ID).publishing("é".repeat(513)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_weight_that_the_kind_does_not_have_is_refused() {
    assertThatThrownBy(() -> mutex(ID).weighing(2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_writer_can_become_a_reader_in_place() {
    Claim writer =
        new Claim(
            ID,
            "x",
            Kind.READ_WRITE,
            Kind.UNBOUNDED,
            Kind.UNBOUNDED,
            OWNER,
            Duration.ofSeconds(30),
            null,
            0,
            0);
    assertThat(writer.mode()).isEqualTo(Mode.EXCLUSIVE);
    assertThat(writer.weighing(1).mode()).isEqualTo(Mode.SHARED);
    assertThat(writer.weighing(1)).isEqualTo(writer);
  }

  @Test
  void asking_changes_only_what_is_asked_for() {
    Claim claim = mutex(ID).publishing("v");
    Claim asking = claim.asking(5, 77);
    assertThat(asking.spares()).isEqualTo(5);
    assertThat(asking.floor()).isEqualTo(77);
    assertThat(asking.asking(0, 0)).usingRecursiveComparison().isEqualTo(claim);
  }
}
