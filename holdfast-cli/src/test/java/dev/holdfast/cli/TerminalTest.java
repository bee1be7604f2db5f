package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is different when a person sits at a terminal. {@code script} makes one. */
class TerminalTest {

  private static final String CTRL_C = "\u0003";
  private static final String CTRL_Z = "\u001a";

  @RegisterExtension final Cli cli = new Cli();
  private Process terminal;

  @AfterEach
  void hangUp() throws Exception {
    if (terminal != null) {
      terminal.descendants().forEach(ProcessHandle::destroyForcibly);
      terminal.destroyForcibly().waitFor();
    }
  }

  @Test
  void the_command_keeps_the_terminal_and_can_read_from_it() throws Exception {
    open(
        "demo",
        "test -t 0 && test -t 1 && echo 'a terminal' && read line </dev/tty; echo got $line");
    awaitScreen("a terminal");
    type("words\n");
    assertThat(terminal.waitFor()).isZero();
    awaitScreen("got words");
  }

  @Test
  void the_interrupt_key_reaches_the_command_once_and_is_its_own_business() throws Exception {
    open(
        "demo",
        "trap 'echo interrupted; n=$((n + 1))' INT; echo ready; until [ \"$n\" = 3 ]; do sleep 0.1; done; exit 7");
    awaitScreen("ready");
    for (int times = 1; times <= 3; times++) {
      type(CTRL_C);
      int expected = times;
      awaitScreen("interrupted", expected);
    }
    assertThat(terminal.waitFor()).isEqualTo(7);
    assertThat(screen().split("interrupted", -1)).hasSize(4);
  }

  @Test
  void the_interrupt_key_ends_the_wait() throws Exception {
    cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    open("demo", "echo never");
    awaitScreen("waiting for 'demo'");
    type(CTRL_C);
    assertThat(terminal.waitFor()).isEqualTo(128 + 2);
  }

  @Test
  void a_suspended_holder_loses_its_command_like_any_stopped_one() throws Exception {
    List<String> words = new ArrayList<>(List.of("run", "--ttl", "2s", "demo", "--", "sh", "-c"));
    words.add("echo $$ > child; sleep 1000 & echo $! > grandchild; wait");
    openLine("set -m; " + line(words) + "; sleep 1000"); // a shell with job control, for the key
    long child = Processes.awaitPid(cli.file("child"));
    long grandchild = Processes.awaitPid(cli.file("grandchild"));
    type(CTRL_Z);
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
    open(List.of("break", "demo"));
    awaitScreen("Take the lock away? [y/N]");
    type("n\n");
    assertThat(terminal.waitFor()).isEqualTo(ExitCodes.NO);
    assertThat(holder.isRunning()).isTrue();
    open(List.of("break", "demo"));
    awaitScreen("Take the lock away? [y/N]");
    type("y\n");
    assertThat(terminal.waitFor()).isZero();
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
  }

  private void open(String lock, String script) throws IOException {
    open(List.of("run", lock, "--", "sh", "-c", script));
  }

  private void open(List<String> args) throws IOException {
    openLine("exec " + line(args));
  }

  private static String line(List<String> args) {
    return CliProcess.shellLine(CliProcess.javaCommand(args.toArray(String[]::new)));
  }

  /** Starts a line of shell in a new terminal; everything on its screen goes to a file. */
  private void openLine(String line) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("script", "-q", "-e", "-c", line, "/dev/null")
            .directory(cli.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(screenFile().toFile());
    builder.environment().put("HOLDFAST_STORE", cli.storeUrl());
    builder.environment().put("SHELL", "/bin/sh");
    terminal = builder.start();
  }

  private void type(String keys) throws IOException {
    OutputStream keyboard = terminal.getOutputStream();
    keyboard.write(keys.getBytes(StandardCharsets.UTF_8));
    keyboard.flush();
  }

  private void awaitScreen(String text) {
    awaitScreen(text, 1);
  }

  private void awaitScreen(String text, int times) {
    Awaitility.await("'" + text + "' on the screen")
        .atMost(CliProcess.PATIENCE)
        .until(() -> screen().split(Pattern.quote(text), -1).length > times);
  }

  private String screen() {
    return CliProcess.read(screenFile());
  }

  private Path screenFile() {
    return cli.file("screen");
  }
}
