package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerTest {

  private static final long SEED = 4_121_118;

  @Test
  void whatever_its_parts_are_an_owner_is_read_back_as_it_was_written() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 5_000; round++) {
      Owner owner =
          new Owner(
              OddText.next(random),
              random.nextLong(),
              OddText.next(random),
              OddText.next(random),
              OddText.next(random));
      String text = owner.encode();
      assertThat(Owner.parse(text)).as("seed %d, round %d", SEED, round).isEqualTo(owner);
      assertThat(text).as("seed %d, round %d", SEED, round).matches("[\\x21-\\x7e]*");
    }
  }

  @Test
  void its_stored_form_is_five_fields_with_semicolons_between() {
    assertThat(new Owner("web-3", 4121, "worker 1", "c0ffee", "nightly;report").encode())
        .isEqualTo("web-3;4121;worker+1;c0ffee;nightly%3Breport");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "web-3", "a;1;b;c", "a;1;b;c;d;e", ";;;;", "a;x;b;c;d", "a;1;%;c;d"})
  void what_is_not_an_owner_is_refused(String text) {
    assertThatThrownBy(() -> Owner.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_refusal_says_what_was_expected() {
    assertThatThrownBy(() -> Owner.parse("web-3;4121"))
        .hasMessage("not an owner: 'web-3;4121'; expected host;pid;thread;client;label");
  }

  @Test
  void a_store_may_lack_an_owner() {
    assertThat(Owner.parseNullable(null)).isNull();
    assertThat(Owner.parseNullable("h;1;t;c;l")).isEqualTo(new Owner("h", 1, "t", "c", "l"));
  }

  @Test
  void people_read_the_label_or_else_the_thread() {
    assertThat(new Owner("web-3", 4121, "main", "c", "billing-7").describe())
        .isEqualTo("billing-7 (host web-3, pid 4121)");
    assertThat(new Owner("web-3", 4121, "main", "c", "").describe())
        .isEqualTo("host web-3, pid 4121, thread main");
  }
}
