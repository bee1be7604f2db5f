package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTextTest {

  /** All that has been used to forge terminals, logs and names. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 7, 8, 9, 0xa, 0xd, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xad, 0x61c, 0x180e, 0x200b,
        0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e,
        0x2060, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206f, 0xfeff, 0xfff9, 0xfffb, 0xd800,
        0xdbff, 0xdc00, 0xdfff
      })
  void what_does_not_show_as_itself_is_escaped(int c) {
    String hex = String.format("\\u%04x", c);
    assertThat(PrintableText.escape("a" + (char) c + "b")).isEqualTo("a" + hex + "b");
    assertThat(PrintableText.json("a" + (char) c + "b")).isEqualTo("\"a" + hex + "b\"");
  }

  @Test
  void every_character_is_either_kept_or_escaped_to_plain_ascii() {
    int escaped = 0;
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      String text = Character.toString(c);
      String shown = PrintableText.escape(text);
      if (!shown.equals(text)) {
        escaped++;
        assertThat(shown).matches("(\\\\u[0-9a-f]{4}){1,2}");
      } else if (Character.isLetterOrDigit(c) || (c >= ' ' && c < 0x7f)) {
        assertThat(shown).isEqualTo(text);
      }
    }
    // 65 controls, 2 separators, 2048 halves, and the format characters that this JDK knows.
    assertThat(escaped).isGreaterThan(65 + 2 + 2048 + 100).isLessThan(3_000);
  }

  @Test
  void letters_of_all_scripts_stay_and_cost_no_copy() {
    String text = "naïve 'e\u0301' 锁 🔒 \\u001b {0} %s";
    assertThat(PrintableText.escape(text)).isSameAs(text);
    assertThat(PrintableText.quote("a\nb")).isEqualTo("'a\\u000ab'");
  }

  @Test
  void characters_beyond_the_basic_plane_are_escaped_as_json_does() {
    assertThat(PrintableText.escape("\udb40\udc41")).isEqualTo("\\udb40\\udc41");
    assertThat(PrintableText.json("🔒\udb40\udc41\ud83d")).isEqualTo("\"🔒\\udb40\\udc41\\ud83d\"");
  }

  @Test
  void json_escapes_its_own_marks() {
    assertThat(PrintableText.json("\"\\/")).isEqualTo("\"\\\"\\\\/\"");
    assertThat(PrintableText.json("")).isEqualTo("\"\"");
  }

  @Test
  void long_text_ends_with_an_ellipsis_and_never_within_a_character() {
    assertThat(PrintableText.shorten("abc", 3)).isEqualTo("abc");
    assertThat(PrintableText.shorten("abcd", 3)).isEqualTo("ab…");
    assertThat(PrintableText.shorten("🔒🔒🔒", 3)).isEqualTo("🔒🔒🔒");
    assertThat(PrintableText.shorten("🔒🔒🔒🔒", 3)).isEqualTo("🔒🔒…");
    String once = PrintableText.shorten("x".repeat(1_000_000), 128);
    assertThat(once).hasSize(128);
    assertThat(PrintableText.shorten(once, 128)).isSameAs(once);
  }

  @Test
  void a_message_is_one_line_of_bounded_length() {
    assertThat(PrintableText.message("\n".repeat(1_000_000)))
        .hasSize(6 * (PrintableText.LONGEST_MESSAGE - 1) + 1)
        .startsWith("\\u000a")
        .endsWith("…");
  }

  @Test
  void a_label_that_others_cannot_read_is_refused_by_name() {
    assertThat(PrintableText.checkLabel("label", "billing-7")).isEqualTo("billing-7");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrintableText.checkLabel("clientName", "a\u202eb"))
        .withMessage(
            "clientName 'a\\u202eb' has a character that does not show at index 1;"
                + " use letters, digits, punctuation and spaces");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PrintableText.checkLabel("label", "\n".repeat(200)))
        .withMessageStartingWith("label has 200 characters, at most 128 are allowed: '\\u000a")
        .withMessageEndingWith("…'");
  }
}
