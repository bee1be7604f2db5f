package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.command.Commands;
import org.junit.jupiter.api.Test;

class TextTest {

  @Test
  void a_mistyped_word_finds_the_nearest() {
    assertThat(Text.nearest("rnu", Commands.NAMES)).isEqualTo("run");
    assertThat(Text.nearest("brake", Commands.NAMES)).isEqualTo("break");
    assertThat(Text.nearest("list", Commands.NAMES)).isNotEqualTo("version");
    assertThat(Text.nearest("xyzzy", Commands.NAMES)).isNull();
  }

  @Test
  void a_table_is_as_wide_as_its_widest_cells() {
    Table table = new Table("NAME", "TOKEN");
    table.row("a\nb", "1");
    table.row("é", "22");
    assertThat(table.lines(new Style(false)))
        .containsExactly("NAME      TOKEN", "a\\u000ab  1", "é         22");
    assertThat(table.lines(new Style(true)).get(0)).isEqualTo("\u001b[1mNAME      TOKEN\u001b[0m");
  }

  @Test
  void a_table_that_is_too_wide_shortens_names_and_holders_but_no_number() {
    Table table = new Table("NAME", "HOLDER", "TOKEN");
    table.row("invoice/42/of/a/very/long/customer", "report.sh (host web-3)", "1794784358152000");
    assertThat(table.fit(44).lines(new Style(false)))
        .containsExactly(
            "NAME          HOLDER        TOKEN", "invoice/42/…  report.sh (…  1794784358152000");
  }
}
