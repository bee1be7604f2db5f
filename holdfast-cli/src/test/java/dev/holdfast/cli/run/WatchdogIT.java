package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Processes;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchdogIT {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String PATH = System.getenv("PATH");

  private @TempDir Path directory;
  private final List<Process> started = new ArrayList<>();
  private Watchdog watchdog;

  @BeforeEach
  void startWatchdog() throws IOException {
    watchdog = new Watchdog(SHORT, PATH);
  }

  @AfterEach
  void endAll() {
    watchdog.close();
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void silence_for_longer_than_the_lease_is_valid_stops_the_command() throws Exception {
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), SHORT);
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    assertThat(watchdog.finish()).isTrue();
  }

  @Test
  void the_end_of_the_process_that_feeds_it_stops_the_command() throws Exception {
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), LONG);
    watchdog.close(); // what the kernel does when a process dies
    assertThat(command.waitFor()).isEqualTo(128 + 15);
  }

  @Test
  void news_of_a_longer_validity_keeps_the_command_running() throws Exception {
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), Duration.ofSeconds(2));
    watchdog.beat(LONG);
    long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    Awaitility.await().atMost(LONG).until(() -> System.nanoTime() > until);
    assertThat(command.isAlive()).isTrue();
  }

  @Test
  void a_command_that_ended_by_itself_is_left_alone_with_what_it_left_behind() throws Exception {
    Process command = start("sleep 1000 & echo $! > left; exit 3");
    watchdog.guard(command.pid(), LONG);
    assertThat(command.waitFor()).isEqualTo(3);
    long left = Processes.awaitPid(directory.resolve("left"));
    assertThat(watchdog.finish()).isFalse();
    assertThat(Processes.isActive(left)).isTrue();
    Processes.signal("KILL", left);
  }

  @Test
  void a_command_that_ignores_the_gentle_signal_is_killed_after_the_grace() throws Exception {
    Process command = start("trap '' TERM; echo $$ > ready; while :; do sleep 0.1; done");
    Processes.awaitPid(directory.resolve("ready"));
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 9);
    assertThat(watchdog.finish()).isTrue();
  }

  @Test
  void a_command_may_clean_up_within_the_grace() throws Exception {
    watchdog.close();
    watchdog = new Watchdog(LONG, PATH);
    Process command =
        start(
            "trap 'echo cleaned > result; exit 5' TERM; echo $$ > ready; while :; do sleep 0.1; done");
    Processes.awaitPid(directory.resolve("ready"));
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(5);
    assertThat(watchdog.finish()).as("ends with the command, not with the grace").isTrue();
    assertThat(directory.resolve("result")).hasContent("cleaned");
  }

  @Test
  void a_stopped_command_is_stopped_for_good() throws Exception {
    Process command = start("sleep 1000");
    Processes.signal("STOP", command.pid());
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 15);
  }

  @Test
  void descendants_are_stopped_even_in_separate_groups() throws Exception {
    Process command =
        start(
            "sh -c 'echo $$ > grandchild; exec sleep 1000' &"
                + " timeout 1000 sh -c 'echo $$ > grouped; exec sleep 1000' & wait");
    long grandchild = Processes.awaitPid(directory.resolve("grandchild"));
    long grouped = Processes.awaitPid(directory.resolve("grouped"));
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    command.waitFor();
    assertThat(watchdog.finish()).isTrue();
    assertThat(Processes.isActive(grandchild)).isFalse();
    assertThat(Processes.isActive(grouped)).isFalse();
  }

  @Test
  void orphans_of_the_commands_session_are_stopped_too() throws Exception {
    Process command = start("(sh -c 'echo $$ > orphan; exec sleep 1000' &); exec sleep 1000");
    long orphan = Processes.awaitPid(directory.resolve("orphan"));
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    command.waitFor();
    watchdog.finish();
    assertThat(Processes.isActive(orphan)).isFalse();
  }

  @Test
  void a_signal_is_passed_on_to_the_command_and_its_children() throws Exception {
    Process command =
        start(
            "sh -c 'trap \"echo child > child; exit\" TERM; echo $$ > ready; while :; do sleep 0.1; done' &"
                + " trap 'echo parent > parent' TERM; wait; wait; exit 9");
    Processes.awaitPid(directory.resolve("ready"));
    watchdog.guard(command.pid(), LONG);
    watchdog.pass("TERM", LONG);
    assertThat(command.waitFor()).isEqualTo(9);
    assertThat(directory.resolve("parent")).hasContent("parent");
    assertThat(watchdog.finish()).isFalse();
  }

  @Test
  void a_signal_that_comes_before_the_command_is_passed_on_when_it_is_there() throws Exception {
    watchdog.pass("TERM", LONG);
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), LONG);
    assertThat(command.waitFor()).isEqualTo(128 + 15);
  }

  @Test
  void killing_on_demand_is_not_counted_as_a_loss() throws Exception {
    Process command = start("trap '' TERM; echo $$ > ready; while :; do sleep 0.1; done");
    Processes.awaitPid(directory.resolve("ready"));
    watchdog.guard(command.pid(), LONG);
    watchdog.kill();
    assertThat(command.waitFor()).isEqualTo(128 + 9);
    watchdog.beat(LONG);
    assertThat(watchdog.finish()).isFalse();
  }

  @Test
  void the_watchdog_survives_every_signal_but_kill() throws Exception {
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), LONG);
    Awaitility.await().until(() -> Processes.isIgnoring(watchdog.pid(), 15));
    for (String signal : List.of("TERM", "INT", "HUP", "QUIT", "TSTP")) {
      Processes.signal(signal, watchdog.pid());
    }
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    assertThat(watchdog.finish()).isTrue();
  }

  @Test
  void a_killed_watchdog_is_replaced() throws Exception {
    Process command = start("sleep 1000");
    watchdog.guard(command.pid(), LONG);
    long first = watchdog.pid();
    Processes.signal("KILL", first);
    Processes.awaitGone(first);
    watchdog.beat(LONG);
    assertThat(watchdog.pid()).isNotEqualTo(first);
    assertThat(command.isAlive()).isTrue();
    watchdog.close();
    assertThat(command.waitFor()).as("the new one works").isEqualTo(128 + 15);
  }

  @Test
  void the_users_shell_settings_do_not_reach_the_script() {
    assertThat(watchdogEnvironment()).containsOnlyKeys("PATH", "HOLDFAST_WATCHDOG");
  }

  @Test
  void without_proc_the_processes_are_found_by_ps() throws Exception {
    watchdog.close();
    String script = Resources.text("watchdog.sh").replace("/proc/self/stat", "/no/proc");
    watchdog = new Watchdog(script, SHORT, PATH);
    Process command =
        start("(sh -c 'echo $$ > orphan; exec sleep 1000' &); sleep 1000 & echo $! > child; wait");
    long orphan = Processes.awaitPid(directory.resolve("orphan"));
    long child = Processes.awaitPid(directory.resolve("child"));
    watchdog.guard(command.pid(), SHORT);
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    assertThat(watchdog.finish()).isTrue();
    assertThat(Processes.isActive(orphan)).isFalse();
    assertThat(Processes.isActive(child)).isFalse();
  }

  @Test
  void a_command_that_cannot_be_stopped_is_reported() throws Exception {
    watchdog.close();
    String script = Resources.text("watchdog.sh").replace("kill -s", "true");
    watchdog = new Watchdog(script, SHORT, PATH);
    Process command = start("trap '' TERM; echo $$ > ready; while :; do sleep 0.1; done");
    Processes.awaitPid(directory.resolve("ready"));
    watchdog.guard(command.pid(), LONG);
    assertThat(watchdog.hasGivenUp()).isFalse();
    watchdog.stop();
    Awaitility.await().atMost(CliProcess.PATIENCE).until(watchdog::hasGivenUp);
  }

  @Test
  void a_shell_that_cannot_do_it_is_reported() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("bash"), Path.of("/bin/false"));
    watchdog.close();
    watchdog = new Watchdog(SHORT, bin.toString());
    Process command = start("sleep 1000");
    Awaitility.await()
        .until(
            () -> {
              try {
                watchdog.guard(command.pid(), LONG);
                return false;
              } catch (CliException e) {
                return e.exitCode() == ExitCodes.INTERNAL && e.getMessage().contains("needs bash");
              }
            });
  }

  private Map<String, String> watchdogEnvironment() {
    // It has none for a moment while it starts.
    Path file = Path.of("/proc/" + watchdog.pid() + "/environ");
    Awaitility.await().until(() -> CliProcess.read(file).contains("HOLDFAST_WATCHDOG"));
    String environment = CliProcess.read(file);
    Map<String, String> variables = new TreeMap<>();
    for (String entry : environment.split("\0")) {
      int equals = entry.indexOf('=');
      variables.put(entry.substring(0, equals), entry.substring(equals + 1));
    }
    return variables;
  }

  /** A command in a new session. */
  private Process start(String script) throws IOException {
    Process process =
        new ProcessBuilder("setsid", "sh", "-c", script)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    started.add(process);
    return process;
  }
}
