package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.command.Commands;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HelpTest {

  static List<String> commands() {
    return Commands.NAMES.stream().filter(command -> !command.equals("help")).toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void every_command_explains_itself(String command) {
    InProcess asOption = InProcess.run(command, "--help");
    InProcess asCommand = InProcess.run("help", command);
    assertThat(asOption.exitCode).isZero();
    assertThat(asOption.out).startsWith("holdfast " + command + ":").isEqualTo(asCommand.out);
    assertThat(asOption.err).isEmpty();
  }

  @Test
  void the_first_help_names_every_command_and_exit_code() {
    InProcess help = InProcess.run("--help");
    assertThat(help.exitCode).isZero();
    for (String command : Commands.NAMES) {
      assertThat(help.out).contains("holdfast " + command);
    }
    assertThat(help.out).contains("64", "69", "70", "75", "76", "126", "127", "HOLDFAST_STORE");
  }

  @Test
  void the_help_of_a_command_names_all_its_options() {
    for (String command : commands()) {
      Syntax syntax = Objects.requireNonNull(Commands.find(command)).syntax();
      String help = Resources.text("help/" + syntax.command + ".txt");
      for (String option : syntax.spec.optionsMap().keySet()) {
        if (!List.of("--help", "-h", "--verbose").contains(option)) {
          assertThat(help).as(syntax.command).contains(option);
        }
      }
    }
  }

  @Test
  void no_line_is_wider_than_a_terminal_of_a_hundred_columns() {
    List<String> topics = new ArrayList<>(commands());
    topics.add("main");
    for (String topic : topics) {
      assertThat(Resources.text("help/" + topic + ".txt").lines())
          .as(topic)
          .allMatch(line -> line.length() <= 100);
    }
  }

  @Test
  void no_command_at_all_gets_the_help_and_counts_as_wrong_usage() {
    InProcess result = InProcess.run();
    assertThat(result.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(result.out).contains("Usage:");
  }
}
