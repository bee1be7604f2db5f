package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Processes;
import dev.holdfast.cli.output.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which processes the watchdog takes for the command's, and which not. */
class WatchdogDescendantsIT {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String PATH = System.getenv("PATH");

  private @TempDir Path directory;
  private Watchdog watchdog;

  @BeforeEach
  void startWatchdog() throws IOException {
    watchdog = new Watchdog(SHORT, PATH);
  }

  @AfterEach
  void endAll() throws Exception {
    watchdog.close();
    for (long pid : Processes.marked(watchdog.marker())) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void a_storm_of_processes_that_start_others_while_they_are_killed() throws Exception {
    Files.writeString(
        directory.resolve("storm.sh"),
        "echo $$ >> born; [ $1 -gt 0 ] || exec sleep 1000; trap '' TERM;"
            + " while :; do setsid sh storm.sh $(($1 - 1)) & sleep 0.1; done\n");
    Process command = start("(setsid sh storm.sh 2 &); exec sleep 1000");
    Path born = directory.resolve("born");
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(() -> Files.exists(born) && Files.readAllLines(born).size() > 30);
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    assertThat(watchdog.finish()).isTrue();
    assertThat(Processes.marked(watchdog.marker())).isEmpty();
    assertThat(Files.readAllLines(born)).noneMatch(pid -> Processes.isActive(Long.parseLong(pid)));
  }

  @Test
  void two_that_start_each_other_again() throws Exception {
    Files.writeString(
        directory.resolve("pair.sh"),
        "trap '' TERM; echo $$ >> born;"
            + " while :; do kill -0 $1 2>/dev/null || { setsid sh pair.sh $$ & set -- $!; };"
            + " sleep 0.01; done\n");
    Process command = start("setsid sh pair.sh $$ & exec sleep 1000");
    Path born = directory.resolve("born");
    watchdog.guard(command.pid(), LONG);
    Awaitility.await().atMost(CliProcess.PATIENCE).until(() -> Files.exists(born));
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    assertThat(watchdog.finish()).isTrue();
    assertThat(Processes.marked(watchdog.marker())).isEmpty();
  }

  @Test
  void a_process_whose_name_looks_like_the_end_of_its_name() throws Exception {
    Path odd = directory.resolve("a) S 1\n1 1 (");
    Files.copy(Path.of("/bin/sleep"), odd);
    Process command = start("./'a) S 1\n1 1 (' 1000 & echo $! > odd; exec env -i sleep 1000");
    long pid = Processes.awaitPid(directory.resolve("odd"));
    watchdog.guard(command.pid(), LONG);
    watchdog.stop();
    assertThat(command.waitFor()).isEqualTo(128 + 15);
    watchdog.finish();
    assertThat(Processes.isActive(pid)).isFalse();
  }

  @Test
  void those_of_another_run_are_left_alone() throws Exception {
    Process command = start("exec sleep 1000");
    try (Watchdog other = new Watchdog(SHORT, PATH)) {
      Process innocent = start(other, "exec sleep 1000");
      watchdog.guard(command.pid(), LONG);
      watchdog.stop();
      command.waitFor();
      assertThat(watchdog.finish()).isTrue();
      assertThat(innocent.isAlive()).isTrue();
      innocent.destroyForcibly().waitFor();
    }
  }

  @Test
  void a_process_id_that_was_used_again_is_left_alone_with_its_children() throws Exception {
    watchdog.close();
    // As if the command had ended, and the kernel had given its number to another process.
    String script = Resources.text("watchdog.sh").replace("look \"$root\"\n", "start=1\n");
    assertThat(script).contains("start=1\n");
    watchdog = new Watchdog(script, SHORT, PATH);
    Process innocent = unmarked("sleep 1000 & echo $! > child; wait");
    long child = Processes.awaitPid(directory.resolve("child"));
    watchdog.guard(innocent.pid(), LONG);
    watchdog.stop();
    assertThat(watchdog.finish()).isFalse();
    assertThat(watchdog.isDone()).isTrue();
    assertThat(innocent.isAlive()).isTrue();
    assertThat(Processes.isActive(child)).isTrue();
    innocent.descendants().forEach(ProcessHandle::destroyForcibly);
    innocent.destroyForcibly();
  }

  @Test
  void the_marker_of_a_run_within_a_run_is_appended_and_their_number_is_limited() {
    RunMarker marker = new RunMarker();
    assertThat(marker.appendedTo(null)).isEqualTo(marker.toString());
    assertThat(marker.appendedTo("a,b")).isEqualTo("a,b," + marker);
    String many = marker.appendedTo("x,".repeat(5000) + "last");
    assertThat(many.split(",")).hasSize(100).endsWith("last", marker.toString());
  }

  private Process start(String script) throws IOException {
    return start(watchdog, script);
  }

  /** A command as {@code run} starts it. */
  private Process start(Watchdog guard, String script) throws IOException {
    ProcessBuilder builder = builder(script);
    builder.environment().put(RunMarker.VARIABLE, guard.marker().appendedTo("another"));
    return builder.start();
  }

  private Process unmarked(String script) throws IOException {
    return builder(script).start();
  }

  private ProcessBuilder builder(String script) {
    return new ProcessBuilder(List.of("setsid", "sh", "-c", script))
        .directory(directory.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }
}
