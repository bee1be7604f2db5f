package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Processes;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens to the command when its lock is lost. */
class RunLossIT {

  private static final Duration TTL = Duration.ofSeconds(4);
  private static final List<String> OPTIONS = List.of("--ttl", TTL.toSeconds() + "s");

  /** Ignores TERM, has a child in its own group and one in another, and notes all their ids. */
  private static final String STUBBORN =
      "trap '' TERM; echo $HOLDFAST_TOKEN; sleep 1000 & echo $! > grandchild;"
          + " timeout -s KILL 1000 sleep 1000 & echo $! > grouped; echo $$ > child; wait; sleep 1000";

  /** Says which of the stubborn ones still run. */
  private static final String NEXT =
      "date +%s%3N > started; for f in child grandchild grouped; do read p < $f;"
          + " grep -q '^State:.[^ZX]' /proc/$p/status 2>/dev/null && echo $f is alive; done;"
          + " echo $HOLDFAST_TOKEN";

  @RegisterExtension final Cli cli = new Cli();

  @Test
  void a_killed_holder_takes_its_command_with_it_and_the_next_runs_soon() throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    CliProcess next = cli.run(OPTIONS, "demo", NEXT);
    next.awaitErr("waiting for 'demo'");
    long killed = System.currentTimeMillis();
    holder.signal("KILL");
    assertThat(next.exitCode()).as(next.err()).isZero();
    long started = Long.parseLong(CliProcess.read(cli.file("started")).strip());
    assertThat(next.out().strip()).as("the next one's view").doesNotContain("alive");
    assertThat(Long.parseLong(next.out().strip())).isGreaterThan(token(holder));
    assertThat(Processes.isActive(child)).isFalse();
    assertThat(started - killed).isLessThan(TTL.plusSeconds(2).toMillis());
  }

  @Test
  void a_stopped_holder_has_lost_its_command_before_the_next_runs_and_then_says_so()
      throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    CliProcess next = cli.run(OPTIONS, "demo", NEXT);
    next.awaitErr("waiting for 'demo'");
    holder.signal("STOP");
    long stopped = System.nanoTime();
    assertThat(next.exitCode()).as(next.err()).isZero();
    assertThat(next.out().strip()).as("the next one's view").doesNotContain("alive");
    assertThat(Long.parseLong(next.out().strip())).isGreaterThan(token(holder));
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(() -> System.nanoTime() - stopped > TTL.multipliedBy(2).toNanos());
    holder.signal("CONT");
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
    assertThat(holder.err())
        .contains(
            "the lock 'demo' (token " + token(holder) + ") was lost and the command was stopped");
    assertThat(Processes.isActive(child)).isFalse();
  }

  @Test
  void a_broken_lock_stops_the_command() throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    long grouped = Processes.awaitPid(cli.file("grouped"));
    assertThat(cli.start("break", "--yes", "demo").exitCode()).isZero();
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
    assertThat(Processes.isActive(child)).isFalse();
    assertThat(Processes.isActive(grouped)).isFalse();
  }

  @Test
  void a_command_that_holds_too_long_is_stopped() throws Exception {
    CliProcess holder =
        cli.run(List.of("--ttl", "2s", "--max-hold", "3s"), "demo", "echo in; exec sleep 1000");
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
    assertThat(holder.out()).isEqualTo("in\n");
  }

  @Test
  void a_renewed_lock_outlives_its_ttl_by_far() throws Exception {
    CliProcess holder = cli.run(List.of("--ttl", "1s"), "demo", "sleep 4; echo done");
    assertThat(holder.exitCode()).as(holder.err()).isZero();
    assertThat(holder.out()).isEqualTo("done\n");
  }

  @Test
  void a_command_that_ends_after_its_lock_was_broken_does_not_count_as_done() throws Exception {
    CliProcess holder =
        cli.run(
            List.of("--ttl", "10m"),
            "demo",
            "echo in; until [ -e go ]; do sleep 0.05; done; exit 0");
    holder.awaitOut("in");
    assertThat(cli.start("break", "--yes", "demo").exitCode()).isZero();
    Files.createFile(cli.file("go"));
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
    assertThat(holder.err()).contains("was lost before the command ended (exit code 0)");
  }

  @Test
  void a_killed_watchdog_is_replaced_and_still_guards_the_command() throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    long watchdog = Processes.childOf(holder.pid(), "holdfast-watchdog");
    Processes.signal("KILL", watchdog);
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(() -> Processes.childOf(holder.pid(), "holdfast-watchdog") != watchdog);
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(
            () -> Processes.isIgnoring(Processes.childOf(holder.pid(), "holdfast-watchdog"), 15));
    holder.signal("KILL");
    Processes.awaitGone(child);
    Processes.awaitGone(Processes.awaitPid(cli.file("grouped")));
  }

  @Test
  void a_store_that_stays_silent_stops_the_command_in_time() throws Exception {
    CliProcess holder = cli.run(OPTIONS, "demo", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    try (Connection other = DriverManager.getConnection("jdbc:" + cli.storeUrl());
        Statement statement = other.createStatement()) {
      statement.execute(
          "BEGIN IMMEDIATE"); // no other connection can write until the end of this block
      Processes.awaitGone(child);
      holder.awaitErr("the renewal of 'demo' is overdue");
    }
    assertThat(holder.exitCode()).isEqualTo(ExitCodes.LOST);
  }

  @Test
  void without_setsid_the_command_still_ends_with_its_holder() throws Exception {
    Path bin = Files.createDirectory(cli.file("bin"));
    for (String tool : List.of("sh", "bash", "sleep", "timeout")) {
      Files.createSymbolicLink(bin.resolve(tool), Path.of("/usr/bin", tool));
    }
    Map<String, String> variables =
        Map.of("HOLDFAST_STORE", cli.storeUrl(), "PATH", bin.toString());
    CliProcess holder = cli.start(variables, "run", "demo", "--", "sh", "-c", STUBBORN);
    long child = Processes.awaitPid(cli.file("child"));
    holder.signal("KILL");
    Processes.awaitGone(child);
    Processes.awaitGone(Processes.awaitPid(cli.file("grandchild")));
    Processes.awaitGone(Processes.awaitPid(cli.file("grouped")));
  }

  private static long token(CliProcess run) {
    return Long.parseLong(run.out().strip());
  }
}
