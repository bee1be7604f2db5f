package dev.holdfast.cli.arguments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.command.RunCommand;
import dev.holdfast.cli.command.ShowCommand;
import dev.holdfast.cli.output.CliException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

  private static Arguments run(String... words) {
    return Arguments.parse(new RunCommand().syntax(), List.of(words));
  }

  @Test
  void options_stand_before_or_after_the_name() {
    Arguments arguments =
        run("--ttl", "3s", "demo", "--wait=2m", "-n", "--", "ls", "-l", "--", "x");
    assertThat(arguments.value("--ttl")).isEqualTo("3s");
    assertThat(arguments.value("--wait")).isEqualTo("2m");
    assertThat(arguments.has("--no-wait")).isTrue();
    assertThat(arguments.operand()).isEqualTo("demo");
    assertThat(arguments.command()).containsExactly("ls", "-l", "--", "x");
  }

  @Test
  void the_users_command_is_not_looked_into() {
    Arguments arguments = run("demo", "--", "echo", "--help", "--verbose", "--ttl");
    assertThat(arguments.has("--help")).isFalse();
    assertThat(arguments.command()).containsExactly("echo", "--help", "--verbose", "--ttl");
  }

  @Test
  void a_name_that_looks_like_an_option_goes_after_the_dashes() {
    Arguments arguments =
        Arguments.parse(new ShowCommand().syntax(), List.of("--json", "--", "--odd"));
    assertThat(arguments.operand()).isEqualTo("--odd");
  }

  @Test
  void a_name_that_looks_like_an_option_can_be_run_between_two_pairs_of_dashes() {
    Arguments arguments = run("--ttl", "3s", "--", "--odd", "--", "ls", "--", "-l");
    assertThat(arguments.operand()).isEqualTo("--odd");
    assertThat(arguments.command()).containsExactly("ls", "--", "-l");
  }

  @Test
  void a_name_that_starts_with_an_at_sign_is_a_name_and_no_file(@TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("words"), "--help");
    assertThat(run("@" + file, "--", "ls").operand()).isEqualTo("@" + file);
  }

  @Test
  void a_value_may_be_negative_or_empty_so_that_it_can_be_refused_by_name() {
    assertThat(run("--wait", "-3s", "demo", "--", "ls").value("--wait")).isEqualTo("-3s");
    assertThat(run("--label=", "demo", "--", "ls").value("--label")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demo ls                        | put -- before the command: holdfast run demo -- ls",
        "demo                           | no command given; put it after --",
        "demo --                        | no command given; put it after --",
        "-- ls                          | no NAME given",
        "demo other -- ls               | unexpected argument 'other'",
        "--tll 3s demo -- ls            | unknown option --tll; did you mean --ttl?",
        "-x demo -- ls                  | unknown option -x",
        "demo --ttl -- ls               | --ttl needs a value",
        "--ttl                          | --ttl needs a value",
        "--no-wait=yes demo -- ls       | --no-wait takes no value",
        "--ttl 1s --ttl 2s demo -- ls   | --ttl is given twice",
        "--json demo -- ls              | unknown option --json"
      })
  void what_does_not_fit_is_refused_with_what_would(String line, String message) {
    assertThatThrownBy(() -> run(line.strip().split(" ")))
        .isInstanceOf(CliException.class)
        .hasMessageContaining(message);
  }
}
