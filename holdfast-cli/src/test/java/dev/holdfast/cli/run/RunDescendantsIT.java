package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Processes;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing that a command has started outlives its lock, however far it went away from it. */
class RunDescendantsIT {

  private static final List<String> OPTIONS = List.of("--ttl", "4s");

  /** Each notes its own process id, and ignores the gentle signal. */
  private static final String STUBBORN =
      """
      stubborn() { echo "trap '' TERM; echo \\$\\$ > $1; while :; do sleep 1; done"; }
      """;

  private static final List<String> ESCAPED = List.of("session", "daemon", "nohup", "regrouped");

  private static final String ESCAPES =
      STUBBORN
          + """
          setsid sh -c "$(stubborn session)" &
          sh -c "setsid sh -c 'sh -c \\"\\$0\\" & exit' \\"\\$0\\"" "$(stubborn daemon)"
          nohup sh -c "$(stubborn nohup)" >/dev/null 2>&1 &
          timeout 1000 setsid sh -c "$(stubborn regrouped)" &
          """;

  /** How the command comes to be stopped. */
  enum End {
    LOST,
    KILLED,
    STOPPED,
    ASKED_TWICE
  }

  @RegisterExtension final Cli cli = new Cli();

  /**
   * What a failed test leaves: these are no descendants of anything that could be ended instead.
   */
  @AfterEach
  void endAll() throws Exception {
    for (String name : ESCAPED) {
      if (Files.exists(cli.file(name))) {
        long pid = Processes.awaitPid(cli.file(name));
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void those_in_a_separate_session_and_those_without_a_parent_are_stopped(End end)
      throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", ESCAPES + "trap '' TERM; echo in; wait; wait");
    List<Long> escaped = escaped();
    holder.awaitOut("in");
    bringAbout(end, holder);
    escaped.forEach(Processes::awaitGone);
  }

  @ParameterizedTest
  @EnumSource
  void a_run_within_a_run_ends_with_the_outer_one(End end) throws Exception {
    String inner =
        CliProcess.shellLine(
            CliProcess.javaCommand("run", "inner", "--", "sh", "-c", ESCAPES + "wait"));
    // It stays when the inner run has ended: a second request may come late on a busy machine.
    String outer = "trap '' TERM; echo in; " + inner + " & while :; do sleep 1; done";
    CliProcess holder = cli.run(OPTIONS, "demo", outer);
    List<Long> escaped = escaped();
    bringAbout(end, holder);
    escaped.forEach(Processes::awaitGone);
  }

  @Test
  void a_run_within_a_run_stops_its_own_and_leaves_the_outer_command_alone() throws Exception {
    String inner =
        CliProcess.shellLine(
            CliProcess.javaCommand("run", "inner", "--", "sh", "-c", ESCAPES + "wait"));
    CliProcess holder =
        cli.run(OPTIONS, "demo", inner + "; echo inner is over; setsid sh -c 'exit 5'; exit $?");
    List<Long> escaped = escaped();
    assertThat(cli.start("break", "--yes", "inner").exitCode()).isZero();
    assertThat(holder.exitCode()).as(holder.err()).isEqualTo(5);
    assertThat(holder.out()).contains("inner is over");
    escaped.forEach(Processes::awaitGone);
  }

  @Test
  void what_ignores_the_request_to_stop_does_not_run_on_when_the_lock_is_given_back()
      throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", ESCAPES + "echo in; exec sleep 1000");
    List<Long> escaped = escaped();
    holder.awaitOut("in").signal("TERM");
    assertThat(holder.exitCode()).isEqualTo(128 + 15);
    assertThat(escaped).noneMatch(Processes::isActive);
    assertThat(cli.run(List.of("-n"), "demo", "true").exitCode()).as("the lock is free").isZero();
  }

  @Test
  void what_is_left_behind_by_a_command_that_ended_by_itself_runs_on() throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN + "setsid sh -c \"$(stubborn left)\" &");
    long left = Processes.awaitPid(cli.file("left"));
    assertThat(holder.exitCode()).as(holder.err()).isZero();
    assertThat(Processes.isActive(left)).isTrue();
    Processes.signal("KILL", left);
  }

  @Test
  void a_cleared_environment_and_a_separate_session_are_an_escape() throws Exception {
    CliProcess holder =
        cli.run(
            OPTIONS,
            "demo",
            STUBBORN
                + "env -i setsid sh -c 'sh -c \"$0\" & exit' \"$(stubborn escaped)\"; exec sleep 1000");
    long escaped = Processes.awaitPid(cli.file("escaped"));
    assertThat(cli.start("break", "--yes", "demo").exitCode()).isZero();
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
    assertThat(Processes.isActive(escaped)).as("as docs/GUARANTEES.md says").isTrue();
    Processes.signal("KILL", escaped);
  }

  private List<Long> escaped() {
    return ESCAPED.stream().map(name -> Processes.awaitPid(cli.file(name))).toList();
  }

  private void bringAbout(End end, CliProcess holder) throws Exception {
    switch (end) {
      case LOST -> {
        assertThat(cli.start("break", "--yes", "demo").exitCode()).isZero();
        assertThat(holder.exitCode()).as(holder.err()).isEqualTo(ExitCodes.LOST);
      }
      case KILLED -> holder.signal("KILL");
      case STOPPED -> holder.signal("STOP");
      case ASKED_TWICE -> {
        holder.signal("TERM");
        holder.signal("TERM");
        assertThat(holder.exitCode()).as(holder.err()).isEqualTo(128 + 9);
      }
    }
  }
}
