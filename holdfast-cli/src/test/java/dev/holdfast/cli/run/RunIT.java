package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Owner;
import dev.holdfast.cli.Cli;
import dev.holdfast.cli.CliProcess;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunIT {

  @RegisterExtension final Cli cli = new Cli();

  @Test
  void the_commands_exit_code_is_ours() throws Exception {
    assertThat(cli.run(List.of(), "a", "exit 0").exitCode()).isZero();
    assertThat(cli.run(List.of(), "a", "exit 3").exitCode()).isEqualTo(3);
    assertThat(cli.run(List.of(), "a", "kill -9 $$").exitCode()).isEqualTo(128 + 9);
  }

  @Test
  void the_command_sees_the_lock_the_token_and_the_owner() throws Exception {
    CliProcess run =
        cli.run(
            List.of("--label", "night; shift"),
            "invoice/42 é",
            "printf '%s\\n' \"$HOLDFAST_LOCK\" \"$HOLDFAST_TOKEN\" \"$HOLDFAST_OWNER\"");
    assertThat(run.exitCode()).isZero();
    List<String> lines = run.out().lines().toList();
    assertThat(lines.get(0)).isEqualTo("invoice/42 é");
    assertThat(Long.parseLong(lines.get(1))).isPositive();
    Owner owner = Owner.parse(lines.get(2));
    assertThat(owner.pid()).isEqualTo(run.pid());
    assertThat(owner.label()).isEqualTo("night; shift");
  }

  @Test
  void the_command_has_our_standard_streams_and_its_arguments_as_they_are() throws Exception {
    String script = "cat; echo \"$0|$1|$#\"; echo bad >&2";
    ProcessBuilder builder =
        new ProcessBuilder(
            CliProcess.javaCommand("run", "a", "--", "sh", "-c", script, "x", " y  z'\"$(é)"));
    builder.environment().put("HOLDFAST_STORE", cli.storeUrl());
    builder.environment().put("LC_ALL", "C.UTF-8");
    Process process = builder.start();
    process.getOutputStream().write("from stdin\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    assertThat(process.getInputStream())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("from stdin\nx| y  z'\"$(é)|1\n");
    assertThat(process.getErrorStream()).asString(StandardCharsets.UTF_8).isEqualTo("bad\n");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void the_command_has_our_environment_down_to_names_that_no_shell_would_keep() throws Exception {
    CliProcess run =
        cli.start(
            Map.of("HOLDFAST_STORE", cli.storeUrl(), "odd.name%%", "kept", "SHLVL", "7"),
            "run",
            "a",
            "--",
            "env");
    assertThat(run.exitCode()).isZero();
    // a shell in between would drop the odd name and count itself in SHLVL
    assertThat(run.out()).contains("odd.name%%=kept\n").contains("SHLVL=7\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | ",
        "HOLDFAST_HANDLE | HOLDFAST_HANDLE=CANARY",
        "HOLDFAST_STORE_PASSWORD,HOLDFAST_HANDLE | HOLDFAST_HANDLE=CANARY HOLDFAST_STORE_PASSWORD=CANARY"
      })
  void the_command_gets_the_secrets_that_are_named_and_no_others(String named, String got)
      throws Exception {
    Map<String, String> variables =
        Map.of(
            "HOLDFAST_STORE", cli.storeUrl(),
            "HOLDFAST_STORE_PASSWORD", "CANARY",
            "HOLDFAST_HANDLE", "CANARY");
    for (String command : List.of("run", "elect")) {
      List<String> words = new ArrayList<>(List.of(command));
      words.addAll(named == null ? List.of() : List.of("--pass-env", named));
      words.addAll(List.of("a", "--", "sh", "-c", "env | grep CANARY | sort; exit 0"));
      CliProcess run = cli.start(variables, words.toArray(String[]::new));
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out().strip().replace("\n", " ")).isEqualTo(got == null ? "" : got);
    }
  }

  @Test
  void a_variable_that_is_no_secret_need_not_be_named() throws Exception {
    InProcess run = InProcess.run("run", "--pass-env", "HOLDFAST_HANDLE,HOME", "a", "--", "true");
    assertThat(run.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err).contains("not 'HOME'; every other variable is passed on anyway");
  }

  @Test
  void the_second_of_two_runs_has_the_larger_token() throws Exception {
    CliProcess first = cli.run(List.of(), "demo", "echo $HOLDFAST_TOKEN");
    first.exitCode();
    CliProcess second = cli.run(List.of(), "demo", "echo $HOLDFAST_TOKEN");
    second.exitCode();
    assertThat(Long.parseLong(second.out().strip()))
        .isGreaterThan(Long.parseLong(first.out().strip()));
  }

  @Test
  @Timeout(300) // twenty JVMs start at once
  void twenty_processes_count_in_a_file_and_no_update_is_lost() throws Exception {
    Files.writeString(cli.file("counter"), "0\n");
    List<CliProcess> runs = new ArrayList<>();
    for (int i : IntStream.range(0, 20).toArray()) {
      runs.add(
          cli.run(
              List.of("--label", "counter-" + i),
              "counter",
              "read n < counter; sleep 0.02; echo $((n + 1)) > counter"));
    }
    for (CliProcess run : runs) {
      assertThat(run.exitCode(Duration.ofSeconds(250))).as(run.err()).isZero();
    }
    assertThat(cli.file("counter")).hasContent("20");
  }

  @Test
  void a_busy_lock_is_not_waited_for_on_request_and_the_holder_is_named() throws Exception {
    CliProcess holder = cli.run(List.of("--label", "the-holder"), "demo", "echo in; sleep 1000");
    holder.awaitOut("in");
    for (List<String> options : List.of(List.of("-n"), List.of("--wait", "0"))) {
      CliProcess late = cli.run(options, "demo", "echo never");
      assertThat(late.exitCode()).isEqualTo(ExitCodes.BUSY);
      assertThat(late.out()).isEmpty();
      assertThat(late.err())
          .matches(
              "holdfast: gave up on 'demo': held by the-holder \\(host .*, pid "
                  + holder.pid()
                  + "\\) for \\d+ m?s\n");
    }
  }

  @Test
  void a_limited_wait_ends_busy_and_says_how_long_it_was() throws Exception {
    cli.run(List.of(), "demo", "echo in; sleep 1000").awaitOut("in");
    CliProcess late = cli.run(List.of("--wait", "500ms"), "demo", "echo never");
    assertThat(late.exitCode()).isEqualTo(ExitCodes.BUSY);
    assertThat(late.err()).matches("holdfast: gave up on 'demo' after \\d+ m?s: held by sh .*\n");
  }

  @Test
  void a_long_wait_says_once_for_whom_and_then_gets_the_lock() throws Exception {
    CliProcess holder =
        cli.run(List.of(), "demo", "echo in; until [ -e go ]; do sleep 0.05; done").awaitOut("in");
    CliProcess waiter = cli.run(List.of(), "demo", "echo mine");
    waiter.awaitErr("holdfast: waiting for 'demo': held by sh (host ");
    Files.createFile(cli.file("go"));
    assertThat(waiter.exitCode()).isZero();
    assertThat(waiter.out()).isEqualTo("mine\n");
    assertThat(waiter.err().lines()).hasSize(1);
    assertThat(holder.exitCode()).isZero();
  }

  @Test
  void a_minimal_hold_outlasts_the_command() throws Exception {
    assertThat(cli.run(List.of("--min-hold", "1h"), "demo", "true").exitCode()).isZero();
    assertThat(cli.run(List.of("-n"), "demo", "true").exitCode()).isEqualTo(ExitCodes.BUSY);
  }

  @Test
  void a_command_that_is_not_there_or_not_executable_never_takes_the_lock() throws Exception {
    Files.writeString(cli.file("plain"), "#!/bin/sh\n");
    CliProcess missing = cli.start("run", "demo", "--", "no-such-command");
    CliProcess plain = cli.start("run", "demo", "--", "./plain");
    CliProcess folder = cli.start("run", "demo", "--", "/tmp");
    assertThat(missing.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(missing.err()).contains("command 'no-such-command' not found on the PATH");
    assertThat(plain.exitCode()).isEqualTo(ExitCodes.NOT_EXECUTABLE);
    assertThat(plain.err()).contains("'./plain' is not executable; make it so with chmod +x");
    assertThat(folder.exitCode()).isEqualTo(ExitCodes.NOT_EXECUTABLE);
    assertThat(cli.file("locks.db")).doesNotExist();
  }

  @Test
  void a_script_without_an_interpreter_line_runs_as_in_a_shell() throws Exception {
    Files.writeString(cli.file("script"), "echo ran; exit 4\n");
    Files.setPosixFilePermissions(cli.file("script"), PosixFilePermissions.fromString("rwxr-xr-x"));
    CliProcess run = cli.start("run", "demo", "--", "./script");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
    assertThat(run.out()).isEqualTo("ran\n");
  }

  @Test
  void without_a_store_the_locks_are_in_a_private_file_and_that_is_said_once() throws Exception {
    CliProcess first = cli.start(Map.of(), "run", "demo", "--", "true");
    assertThat(first.exitCode()).isZero();
    assertThat(first.err())
        .contains(cli.file("state/holdfast/locks.db").toString(), "on this host", "HOLDFAST_STORE");
    CliProcess second = cli.start(Map.of(), "run", "demo", "--", "true");
    assertThat(second.exitCode()).isZero();
    assertThat(second.err()).isEmpty();
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(cli.file("state/holdfast"))))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(cli.file("state/holdfast/locks.db"))))
        .isEqualTo("rw-------");
  }

  @Test
  void an_argument_that_the_locale_cannot_decode_is_refused() throws Exception {
    CliProcess run = cli.start(Map.of("LC_ALL", "C"), "run", "clé", "--", "true");
    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("not valid text", "LC_ALL=C.UTF-8");
  }

  @Test
  void the_command_gets_the_callers_locale_back() throws Exception {
    Map<String, String> variables =
        Map.of(
            "HOLDFAST_STORE", cli.storeUrl(), "LC_ALL", "C.UTF-8", "HOLDFAST_CALLER_LC_ALL", "C");
    CliProcess set = cli.start(variables, "run", "clé", "--", "env");
    assertThat(set.exitCode()).isZero();
    assertThat(set.out()).contains("LC_ALL=C\n", "HOLDFAST_LOCK=clé\n").doesNotContain("CALLER");
    Map<String, String> unset = new HashMap<>(variables);
    unset.put("HOLDFAST_CALLER_LC_ALL", "");
    CliProcess was = cli.start(unset, "run", "clé", "--", "env");
    assertThat(was.exitCode()).isZero();
    assertThat(was.out()).doesNotContain("LC_ALL=").doesNotContain("CALLER");
  }
}
