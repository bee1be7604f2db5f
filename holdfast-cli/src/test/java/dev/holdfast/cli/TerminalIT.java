package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is different when a person sits at a terminal. */
class TerminalIT {

  @RegisterExtension final Cli cli = new Cli();
  @RegisterExtension final Terminal terminal = new Terminal(cli);

  @Test
  void the_command_keeps_the_terminal_and_can_read_from_it() throws Exception {
    open(
        "demo",
        "test -t 0 && test -t 1 && echo 'a terminal' && read line </dev/tty; echo got $line");
    terminal.awaitScreen("a terminal");
    terminal.type("words\n");
    assertThat(terminal.exitCode()).isZero();
    terminal.awaitScreen("got words");
  }

  @Test
  void the_interrupt_key_reaches_the_command_once_and_is_its_own_business() throws Exception {
    open(
        "demo",
        "trap 'echo interrupted; n=$((n + 1))' INT; echo ready; until [ \"$n\" = 3 ]; do sleep 0.1; done; exit 7");
    terminal.awaitScreen("ready");
    for (int times = 1; times <= 3; times++) {
      terminal.type(Terminal.CTRL_C);
      int expected = times;
      terminal.awaitScreen("interrupted", expected);
    }
    assertThat(terminal.exitCode()).isEqualTo(7);
    assertThat(terminal.screen().split("interrupted", -1)).hasSize(4);
  }

  @Test
  void the_interrupt_key_ends_the_wait() throws Exception {
    cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    open("demo", "echo never");
    terminal.awaitScreen("waiting for 'demo'");
    terminal.type(Terminal.CTRL_C);
    assertThat(terminal.exitCode()).isEqualTo(128 + 2);
  }

  @Test
  void a_suspended_holder_loses_its_command_like_any_stopped_one() throws Exception {
    List<String> words = new ArrayList<>(List.of("run", "--ttl", "2s", "demo", "--", "sh", "-c"));
    words.add("echo $$ > child; sleep 1000 & echo $! > grandchild; wait");
    terminal.openLine(
        "set -m; "
            + Terminal.line(words)
            + "; sleep 1000"); // a shell with job control, for the key
    long child = Processes.awaitPid(cli.file("child"));
    long grandchild = Processes.awaitPid(cli.file("grandchild"));
    terminal.type(Terminal.CTRL_Z);
    CliProcess next = cli.run(List.of("--ttl", "2s"), "demo", "echo mine");
    assertThat(next.exitCode()).isZero();
    Processes.awaitGone(child);
    Processes.awaitGone(grandchild);
  }

  @Test
  void a_killed_holder_takes_its_command_and_the_children_with_it() throws Exception {
    open("demo", "echo $$ > child; sleep 1000 & echo $! > grandchild; wait");
    long child = Processes.awaitPid(cli.file("child"));
    long grandchild = Processes.awaitPid(cli.file("grandchild"));
    long holdfast = ProcessHandle.of(child).orElseThrow().parent().orElseThrow().pid();
    Processes.signal("KILL", holdfast);
    Processes.awaitGone(child);
    Processes.awaitGone(grandchild);
  }

  @Test
  void breaking_asks_first_and_takes_no_for_an_answer() throws Exception {
    CliProcess holder =
        cli.run(List.of("--ttl", "3s"), "demo", "echo in; sleep 1000").awaitOut("in");
    terminal.open(List.of("break", "demo"));
    terminal.awaitScreen("Break the lock? [y/N]");
    terminal.type("n\n");
    assertThat(terminal.exitCode()).isEqualTo(ExitCodes.NO);
    assertThat(holder.isRunning()).isTrue();
    terminal.open(List.of("break", "demo"));
    terminal.awaitScreen("Break the lock? [y/N]");
    terminal.type("y\n");
    assertThat(terminal.exitCode()).isZero();
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
  }

  private void open(String lock, String script) throws IOException {
    terminal.open(List.of("run", lock, "--", "sh", "-c", script));
  }
}
