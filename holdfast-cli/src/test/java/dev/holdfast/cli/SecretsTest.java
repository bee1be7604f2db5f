package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.command.Command;
import dev.holdfast.cli.command.Commands;
import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A password is in no output, no log line and no argument of a process, wherever it came from and
 * whatever goes wrong. The store {@code test-leaky} does its worst: its errors repeat all it knows.
 */
class SecretsTest {

  private static final String CANARY = "CANARY-41";
  private static final String LEAKY = "test-leaky://app:" + CANARY + "@h/x?password=" + CANARY;
  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("run", "a", "--", "true"),
          List.of("acquire", "-n", "a"),
          List.of("renew"),
          List.of("release"),
          List.of("ls"),
          List.of("show", "a"),
          List.of("watch"),
          List.of("break", "--yes", "a"),
          List.of("verify", "hp1.a.1.exclusive.h%3B1%3Bt%3Bc%3Bl"),
          List.of("stores"),
          List.of("doctor"),
          List.of("completion", "bash"),
          List.of("version"));

  @RegisterExtension final Cli cli = new Cli();
  private final Map<String, String> variables = new HashMap<>();

  @BeforeEach
  void a_handle_that_renew_and_release_accept() {
    variables.put("HOLDFAST_HANDLE", "hf2.a.claim.1.30000.h%3B1%3Bt%3Bc%3Bl.0.-.0");
    variables.put("XDG_CONFIG_HOME", cli.directory().toString());
  }

  @Test
  void in_the_url_of_the_environment() {
    variables.put("HOLDFAST_STORE", LEAKY);
    nothingIsTold();
  }

  @Test
  void in_a_variable() {
    variables.put("HOLDFAST_STORE", "test-leaky:");
    variables.put("HOLDFAST_STORE_PASSWORD", CANARY);
    nothingIsTold();
  }

  @Test
  void in_an_error_that_comes_later() {
    variables.put("HOLDFAST_STORE", "test-chatty:");
    variables.put("HOLDFAST_STORE_PASSWORD", CANARY);
    COMMANDS.stream()
        .filter(command -> !command.get(0).equals("watch")) // it would not end
        .forEach(command -> nothingIsTold(command));
    assertThat(InProcess.run(variables, "doctor").out)
        .contains("danger     no lock could be acquired: no rights with password ***");
  }

  @Test
  void in_a_password_file() throws IOException {
    variables.put("HOLDFAST_STORE", "test-leaky:");
    Path file = secret(CANARY + "\n");
    nothingIsTold("--password-file", file.toString());
  }

  @Test
  void in_the_config_file() throws IOException {
    Path config = cli.file("holdfast/config");
    Files.createDirectories(config.getParent());
    Files.writeString(config, "store = " + LEAKY + "\npassword = " + CANARY + "\n");
    Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-------"));
    nothingIsTold();
    Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-r--r--"));
    nothingIsTold();
  }

  @Test
  void in_a_url_that_is_given_as_an_argument_although_it_should_not() {
    nothingIsTold("--store", LEAKY);
    nothingIsTold("--store", "jdbc:nosuch:" + LEAKY);
  }

  @Test
  void in_the_arguments_of_no_process_that_runs_for_a_command() throws Exception {
    Path file = secret(CANARY + "\n");
    variables.put("HOLDFAST_STORE", cli.storeUrl());
    variables.put("HOLDFAST_STORE_PASSWORD", CANARY);
    String[] run = {
      "run", "--password-file", file.toString(), "a", "--", "sh", "-c", "echo in; sleep 1000"
    };
    CliProcess process = cli.start(variables, run).awaitOut("in");
    List<String> lines = commandLines();
    assertThat(lines).anyMatch(line -> line.contains("dev.holdfast.cli.Main"));
    assertThat(lines).noneMatch(line -> line.contains(CANARY));
    assertThat(process.out() + process.err()).doesNotContain(CANARY);
  }

  private Path secret(String text) throws IOException {
    Path file = Files.writeString(cli.file("password"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private void nothingIsTold(String... options) {
    COMMANDS.forEach(command -> nothingIsTold(command, options));
  }

  private void nothingIsTold(List<String> command, String... options) {
    for (String extra : new String[] {"--verbose", "--json", "--help", "--nonsense"}) {
      List<String> words = new ArrayList<>(List.of(command.get(0), extra));
      words.addAll(List.of(options));
      words.addAll(command.subList(1, command.size()));
      if (extra.equals("--json") && !hasJson(command.get(0))) {
        continue;
      }
      InProcess result = InProcess.run(variables, words.toArray(String[]::new));
      assertThat(result.out + result.err).as(String.join(" ", command)).doesNotContain("CANARY");
      assertThat(result.exitCode).as(result.err).isNotEqualTo(ExitCodes.INTERNAL);
    }
  }

  private static boolean hasJson(String name) {
    Command command = Commands.find(name);
    return command != null && command.syntax().spec.findOption("--json") != null;
  }

  private static List<String> commandLines() throws IOException {
    List<String> lines = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        try {
          lines.add(Files.readString(process.resolve("cmdline")));
        } catch (IOException e) {
          continue; // it has ended
        }
      }
    }
    return lines;
  }
}
