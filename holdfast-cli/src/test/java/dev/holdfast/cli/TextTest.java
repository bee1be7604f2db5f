package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {

  @Test
  void control_characters_cannot_reach_the_terminal() {
    assertThat(Text.printable("a\u001b[31mb\nc\u202ed")).isEqualTo("a\\u001b[31mb\\u000ac\\u202ed");
    assertThat(Text.printable("naïve 🔒")).isEqualTo("naïve 🔒");
  }

  @Test
  void a_mistyped_word_finds_the_nearest() {
    assertThat(Text.nearest("rnu", Main.COMMANDS)).isEqualTo("run");
    assertThat(Text.nearest("brake", Main.COMMANDS)).isEqualTo("break");
    assertThat(Text.nearest("list", Main.COMMANDS)).isNotEqualTo("version");
    assertThat(Text.nearest("xyzzy", Main.COMMANDS)).isNull();
  }

  @Test
  void a_table_is_as_wide_as_its_widest_cells() {
    Table table = new Table("NAME", "TOKEN");
    table.row("a\nb", "1");
    table.row("é", "22");
    assertThat(table).hasToString("NAME      TOKEN\na\\u000ab  1\né         22\n");
  }
}
