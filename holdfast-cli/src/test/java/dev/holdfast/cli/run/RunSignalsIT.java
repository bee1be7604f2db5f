package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.Processes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunSignalsIT {

  @RegisterExtension final Cli cli = new Cli();

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
  void a_signal_goes_to_the_command_and_the_lock_is_given_back(String signal, int code)
      throws Exception {
    CliProcess run = cli.run(List.of(), "demo", "echo in; exec sleep 1000").awaitOut("in");
    run.signal(signal);
    assertThat(run.exitCode()).isEqualTo(code);
    assertThat(run.err()).isEmpty();
    assertThat(cli.run(List.of("-n"), "demo", "true").exitCode()).as("the lock is free").isZero();
  }

  @Test
  void the_command_may_take_its_time_and_choose_its_exit_code() throws Exception {
    CliProcess run =
        cli.run(
                List.of(),
                "demo",
                "trap 'sleep 0.3; echo cleaned; exit 5' TERM; echo in; while :; do sleep 0.05; done")
            .awaitOut("in");
    run.signal("TERM");
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).isEqualTo("in\ncleaned\n");
  }

  @Test
  void a_second_signal_kills_the_command_and_its_children() throws Exception {
    CliProcess run =
        cli.run(
                List.of(),
                "demo",
                "trap 'echo ignored' TERM; sleep 1000 & echo $! > grandchild; echo in;"
                    + " while :; do wait; done")
            .awaitOut("in");
    long grandchild = Processes.awaitPid(cli.file("grandchild"));
    run.signal("TERM");
    run.awaitOut("ignored");
    run.signal("TERM");
    assertThat(run.exitCode()).isEqualTo(128 + 9);
    assertThat(Processes.isActive(grandchild)).isFalse();
    assertThat(cli.run(List.of("-n"), "demo", "true").exitCode()).as("the lock is free").isZero();
  }

  @Test
  void a_signal_ends_the_wait_and_leaves_the_queue() throws Exception {
    CliProcess holder = cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    CliProcess waiter = cli.run(List.of(), "demo", "echo never").awaitErr("waiting");
    waiter.signal("INT");
    assertThat(waiter.exitCode()).isEqualTo(128 + 2);
    CliProcess show = cli.start("show", "--json", "demo");
    assertThat(show.exitCode()).isZero();
    assertThat(show.out()).contains("\"waiters\":[]").contains("\"pid\":" + holder.pid());
  }

  @Test
  void the_command_is_out_of_reach_of_signals_to_our_group() throws Exception {
    CliProcess run = cli.run(List.of(), "demo", "ps -o pgid=,sid= -p $$; echo $$");
    assertThat(run.exitCode()).isZero();
    List<String> words = List.of(run.out().strip().split("\\s+"));
    assertThat(words).hasSize(3).containsOnly(words.get(2));
  }
}
