package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Read-write locks, semaphores, several locks and elections on the command line. */
class ConstructsIT {

  @RegisterExtension final Cli cli = new Cli();

  @Test
  void readers_run_beside_each_other_and_not_beside_a_writer() throws Exception {
    CliProcess reader = cli.run(List.of("--shared"), "doc", "echo in; sleep 1000");
    reader.awaitOut("in");
    assertThat(cli.run(List.of("--shared", "-n"), "doc", "exit 0").exitCode()).isZero();
    assertThat(cli.run(List.of("--exclusive", "-n"), "doc", "exit 0").exitCode())
        .isEqualTo(ExitCodes.BUSY);
    CliProcess plain = cli.run(List.of("-n"), "doc", "exit 0");
    assertThat(plain.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(plain.err()).contains("'doc' is in use as READ_WRITE");
    assertThat(look("show", "doc")).contains("READ-WRITE").contains("), reading");
    assertThat(look("ls")).contains("), reading");
  }

  @Test
  void permits_are_taken_by_their_number() throws Exception {
    CliProcess holder =
        cli.run(List.of("--permits", "2", "--of", "3"), "pool", "echo in; sleep 1000");
    holder.awaitOut("in");
    assertThat(cli.run(List.of("--permits", "2", "--of", "3", "-n"), "pool", "exit 0").exitCode())
        .isEqualTo(ExitCodes.BUSY);
    assertThat(cli.run(List.of("--of", "3", "-n"), "pool", "exit 0").exitCode()).isZero();
    CliProcess other = cli.run(List.of("--of", "4", "-n"), "pool", "exit 0");
    assertThat(other.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(other.err()).contains("capacity 3").contains("capacity 4");
    assertThat(look("show", "pool")).contains("SEMAPHORE OF 3").contains("), 2 permits");
  }

  @Test
  void several_locks_are_taken_at_once_and_the_command_has_a_token_for_each() throws Exception {
    CliProcess run =
        cli.start("run", "--all", "b,a", "--", "sh", "-c", "echo $HOLDFAST_LOCK $HOLDFAST_TOKEN");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).matches("a,b \\d+,\\d+\n");
    try (Holdfast locks = Holdfast.connect(cli.storeUrl());
        Lease lease = locks.lock("b").acquire()) {
      CliProcess busy = cli.start("run", "-n", "--all", "a,b", "--", "true");
      assertThat(busy.exitCode()).isEqualTo(ExitCodes.BUSY);
      assertThat(busy.err()).contains("gave up on 'a', 'b': 'b' is held by");
      assertThat(locks.inspect("a").isHeld()).isFalse();
    }
  }

  @Test
  void a_leader_whose_lead_is_broken_is_stopped_and_started_again_when_it_is_elected()
      throws Exception {
    CliProcess elect = elect("web-3:8080");
    elect.awaitOut("web-3:8080 ");
    assertThat(look("show", "scheduler")).contains("ELECTION").contains("value 'web-3:8080'");
    assertThat(InProcess.run(store(), "break", "--yes", "scheduler").exitCode).isZero();
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(() -> elect.out().lines().filter(line -> line.matches(".* \\d+")).count() == 2);
    List<Long> tokens =
        elect.out().lines().map(line -> Long.parseLong(line.split(" ")[1])).toList();
    assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
    assertThat(elect.err()).contains("was lost").contains("campaigning for 'scheduler' again");
    elect.signal("TERM");
    assertThat(elect.exitCode()).isEqualTo(128 + 15);
  }

  @Test
  void when_a_leader_is_killed_its_command_ends_and_the_next_one_leads_with_a_greater_token()
      throws Exception {
    CliProcess first = elect("one");
    first.awaitOut("one ");
    CliProcess second = elect("two");
    try (Holdfast locks = Holdfast.connect(cli.storeUrl())) {
      Awaitility.await()
          .atMost(CliProcess.PATIENCE)
          .until(() -> locks.inspect("scheduler").waiters().size() == 1);
    }
    first.signal("KILL");
    second.awaitOut("two ");
    assertThat(token(second)).isGreaterThan(token(first));
  }

  private CliProcess elect(String value) {
    return cli.start(
        "elect",
        "--ttl",
        "3s",
        "--value",
        value,
        "scheduler",
        "--",
        "sh",
        "-c",
        "echo $HOLDFAST_LEADER_VALUE $HOLDFAST_TOKEN; sleep 1000");
  }

  private static long token(CliProcess elect) {
    return Long.parseLong(elect.out().strip().split(" ")[1]);
  }

  @Test
  void a_leader_whose_command_ends_gives_the_lead_back() throws Exception {
    CliProcess elect = cli.start("elect", "scheduler", "--", "sh", "-c", "exit 7");
    assertThat(elect.exitCode()).as(elect.err()).isEqualTo(7);
    assertThat(look("show", "scheduler")).contains("is free");
  }

  @Test
  void a_command_that_ends_by_itself_is_done_whatever_its_exit_code() throws Exception {
    CliProcess elect = cli.start("elect", "scheduler", "--", "sh", "-c", "exit 76");
    assertThat(elect.exitCode()).as(elect.err()).isEqualTo(76);
    assertThat(look("show", "scheduler")).contains("is free");
  }

  @Test
  void a_leader_that_lost_its_store_leads_again_when_it_is_back() throws Exception {
    CliProcess elect = elect("one");
    elect.awaitOut("one ");
    try (Connection other = DriverManager.getConnection("jdbc:" + cli.storeUrl());
        Statement statement = other.createStatement()) {
      statement.execute(
          "BEGIN IMMEDIATE"); // no other connection can write until the end of this block
      elect.awaitErr("the store does not answer; campaigning again until it does");
    }
    Awaitility.await()
        .atMost(CliProcess.PATIENCE)
        .until(() -> elect.out().lines().filter(line -> line.startsWith("one ")).count() == 2);
    elect.signal("TERM");
    assertThat(elect.exitCode()).isEqualTo(128 + 15);
  }

  @Test
  void a_store_that_cannot_be_used_at_all_is_reported_at_once() {
    InProcess result =
        InProcess.run(
            Map.of("HOLDFAST_STORE", "redis://127.0.0.1:1"), "elect", "scheduler", "--", "true");
    assertThat(result.exitCode).as(result.err).isEqualTo(ExitCodes.STORE_UNREACHABLE);
  }

  @Test
  void what_contradicts_itself_is_wrong_usage() {
    for (List<String> words :
        List.of(
            List.of("run", "--shared", "--of", "3", "a", "--", "true"),
            List.of("run", "--shared", "--exclusive", "a", "--", "true"),
            List.of("run", "--permits", "2", "a", "--", "true"),
            List.of("run", "--permits", "4", "--of", "3", "a", "--", "true"),
            List.of("run", "--of", "none", "a", "--", "true"),
            List.of("run", "--of", "0", "a", "--", "true"),
            List.of("run", "--all", "a,b", "c", "--", "true"),
            List.of("run", "--all", "a,,b", "--", "true"),
            List.of("elect", "--", "true"))) {
      InProcess result = InProcess.run(store(), words.toArray(String[]::new));
      assertThat(result.exitCode).as(words + " says: " + result.err).isEqualTo(ExitCodes.USAGE);
    }
  }

  private Map<String, String> store() {
    return Map.of("HOLDFAST_STORE", cli.storeUrl());
  }

  private String look(String... words) {
    InProcess result = InProcess.run(store(), words);
    assertThat(result.exitCode).as(result.err).isZero();
    return result.out;
  }
}
