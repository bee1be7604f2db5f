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
  void the_refusal_quotes_a_bounded_part_without_harm() {
    assertThatThrownBy(() -> Owner.parse("\u001b[2J;" + "x".repeat(1_000_000)))
        .hasMessageStartingWith("not an owner: '\\u001b[2J;xxx")
        .hasMessageEndingWith("x…'; expected host;pid;thread;client;label")
        .hasMessageMatching("\\p{Print}*…\\p{Print}*")
        .hasNoCause();
    assertThatThrownBy(() -> Owner.parse("h;\u001b7;t;c;l"))
        .hasMessage("not an owner: 'h;\\u001b7;t;c;l'; expected host;pid;thread;client;label")
        .hasNoCause();
  }

  @Test
  void each_part_keeps_128_characters_and_an_ellipsis_says_that_there_was_more() {
    String longest = "x".repeat(127) + "…";
    Owner read = Owner.parse(String.join(";", tooLong(), "1", tooLong(), tooLong(), tooLong()));
    assertThat(read).isEqualTo(new Owner(longest, 1, longest, longest, longest));
    assertThat(Owner.parse(read.encode())).isEqualTo(read);
    assertThat(new Owner("h", 1, "t", "c", "😀".repeat(128)).label()).isEqualTo("😀".repeat(128));
  }

  private static String tooLong() {
    return "x".repeat(1_000_000);
  }

  @Test
  void what_people_read_is_one_harmless_line() {
    Owner owner = new Owner("h\n", 1, "t\u202e", "c\u009b", "\u001b[31m");
    assertThat(owner.describe()).isEqualTo("\\u001b[31m (host h\\u000a, pid 1)");
    assertThat(owner)
        .hasToString(
            "Owner[host=h\\u000a, pid=1, thread=t\\u202e, client=c\\u009b, label=\\u001b[31m]");
    assertThat(new Owner("h", 1, "t\u202e", "c", "").describe())
        .isEqualTo("host h, pid 1, thread t\\u202e");
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
