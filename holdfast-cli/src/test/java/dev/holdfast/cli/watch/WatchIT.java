package dev.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Terminal;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WatchIT {

  @RegisterExtension final Cli cli = new Cli();
  @RegisterExtension final Terminal terminal = new Terminal(cli);

  @Test
  void without_a_terminal_each_change_is_a_line() throws Exception {
    CliProcess watch = cli.start("watch", "--interval", "100ms", "report/");
    CliProcess holder =
        cli.run(List.of("--label", "first"), "report/a", "echo in; sleep 1000").awaitOut("in");
    watch.awaitOut("holds   'report/a' first (host ");
    CliProcess waiter = cli.run(List.of("--label", "second"), "report/a", "sleep 1000");
    watch.awaitOut("waits   'report/a' second (host ");
    cli.run(List.of(), "other", "true").exitCode();
    holder.signal("TERM");
    watch.awaitOut("ended   'report/a' first").awaitOut("holds   'report/a' second");
    waiter.signal("TERM");
    watch.awaitOut("ended   'report/a' second");
    watch.signal("INT");
    assertThat(watch.exitCode()).isEqualTo(128 + 2);
    assertThat(watch.out()).hasLineCount(5).doesNotContain("other", "\u001b");
    assertThat(watch.out().lines()).allMatch(line -> line.startsWith("20") && line.contains("Z "));
    assertThat(watch.err()).isEmpty();
  }

  @Test
  void it_ends_quietly_when_nobody_reads_any_more() throws Exception {
    cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    String watch = Terminal.line(List.of("watch", "--json", "--interval", "100ms"));
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", watch + " | head -n 1; echo ${PIPESTATUS[0]}")
            .directory(cli.directory().toFile())
            .redirectOutput(cli.file("head").toFile());
    builder.environment().put("HOLDFAST_STORE", cli.storeUrl());
    Process shell = builder.start();
    try {
      Awaitility.await().atMost(CliProcess.PATIENCE).until(() -> !head().isEmpty());
      cli.run(List.of(), "later", "sleep 1000"); // something to write after head has gone
      Awaitility.await().atMost(CliProcess.PATIENCE).until(() -> head().endsWith("}\n0\n"));
    } finally {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
      shell.destroyForcibly().waitFor();
    }
  }

  @Test
  void a_signal_ends_it_even_while_the_store_is_silent() throws Exception {
    CliProcess watch = cli.start(Map.of("HOLDFAST_STORE", "test-silent:"), "watch", "--json");
    watch.awaitOut("\"event\":\"unknown\"");
    watch.signal("TERM"); // it is asking again by now, or about to
    assertThat(watch.exitCode()).isEqualTo(128 + 15);
    assertThat(watch.out()).hasLineCount(1).contains("No answer from test-silent:");
    assertThat(watch.err()).isEmpty();
  }

  @Test
  void a_terminal_gets_a_table_that_is_drawn_in_its_place() throws Exception {
    cli.run(List.of("--label", "first"), "demo", "echo in; sleep 1000").awaitOut("in");
    terminal.open(List.of("watch", "--interval", "100ms"));
    terminal.awaitScreen("first (host ", 3);
    terminal.type(Terminal.CTRL_C);
    assertThat(terminal.exitCode()).isEqualTo(128 + 2);
    assertThat(terminal.screen())
        .contains("NAME", "HOLDER", "FOR", "LEFT", "WAITING", "TOKEN")
        .contains("\u001b[3A") // back up over title, heads and one lock
        .endsWith("\u001b[?7h\u001b[?25h"); // wrapping and the cursor are back
  }

  @Test
  void a_narrow_terminal_shortens_the_widest_columns() throws Exception {
    String name = "a-name-that-is-much-too-long-for-a-narrow-terminal";
    cli.run(List.of("--label", "first"), name, "echo in; sleep 1000").awaitOut("in");
    String watch = Terminal.line(List.of("watch", "--interval", "100ms"));
    terminal.openLine("stty cols 60 rows 10; exec " + watch);
    terminal.awaitScreen("first (");
    terminal.type(Terminal.CTRL_C);
    assertThat(terminal.exitCode()).isEqualTo(128 + 2);
    assertThat(terminal.screen()).contains("a-name-", "…").doesNotContain(name);
  }

  @Test
  void colours_are_only_for_a_terminal_and_not_if_the_user_says_no() throws Exception {
    cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    String ls = "exec " + Terminal.line(List.of("ls"));
    terminal.openLine(ls);
    assertThat(terminal.exitCode()).isZero();
    assertThat(terminal.screen()).contains("\u001b[1mNAME");
    for (Map<String, String> no : List.of(Map.of("NO_COLOR", "1"), Map.of("TERM", "dumb"))) {
      terminal.openLine(ls, no);
      assertThat(terminal.exitCode()).isZero();
      assertThat(terminal.screen()).contains("NAME").doesNotContain("\u001b");
    }
    CliProcess piped = cli.start("ls");
    assertThat(piped.exitCode()).isZero();
    assertThat(piped.out()).contains("NAME").doesNotContain("\u001b");
  }

  private String head() {
    return CliProcess.read(cli.file("head"));
  }
}
