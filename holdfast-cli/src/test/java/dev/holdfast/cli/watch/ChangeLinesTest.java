package dev.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.support.Secrets;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChangeLinesTest {

  private static final Owner OWNER = new Owner("web-3", 4121, "main", "c", "red\u001b[31m");
  private static final LockInfo HELD =
      new LockInfo(
          "a\nb",
          Kind.MUTEX,
          1,
          List.of(
              new ClaimInfo(OWNER, Mode.EXCLUSIVE, 1, 7, 7, Duration.ZERO, Duration.ZERO, null)),
          List.of());

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private final Console console = new Console(InputStream.nullInputStream(), out, out, Map.of());

  @Test
  void what_others_chose_cannot_break_a_line_or_drive_the_terminal() {
    try (ChangeLines lines = new ChangeLines(console, false)) {
      lines.show(List.of(HELD));
    }
    assertThat(text())
        .endsWith("Z holds   'a\\u000ab' red\\u001b[31m (host web-3, pid 4121), token 7\n")
        .hasLineCount(1);
  }

  @Test
  void a_silent_store_is_reported_once_and_its_return_too() {
    try (ChangeLines lines = new ChangeLines(console, false)) {
      lines.show(List.of());
      lines.unknown(new StoreException("", "no answer from x:"));
      lines.unknown(new StoreException("", "no answer from x:"));
      lines.show(List.of(HELD));
    }
    assertThat(text().lines().map(line -> line.substring(21)).toList())
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("unknown no answer from x:"),
            line -> assertThat(line).isEqualTo("known   the store answers again"),
            line -> assertThat(line).startsWith("holds "));
  }

  @Test
  void a_secret_in_an_error_of_the_store_is_not_shown() {
    console.hide(Secrets.of("", new Credentials(null, "CANARY")));
    for (boolean json : new boolean[] {true, false}) {
      try (ChangeLines lines = new ChangeLines(console, json)) {
        lines.unknown(new StoreException("", "no answer to CANARY"));
      }
    }
    assertThat(text()).contains("no answer to ***").doesNotContain("CANARY");
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
