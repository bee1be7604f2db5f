package dev.holdfast.cli.command;

import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.Resources;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code holdfast completion SHELL}: a script that makes the shell complete our command lines. Its
 * commands and options come from the parser's definitions, so it cannot be out of date.
 */
final class CompletionCommand implements Command {

  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Override
  public Syntax syntax() {
    return Syntax.one("completion", "SHELL").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    String shell = arguments.operand();
    if (!SHELLS.contains(shell)) {
      throw CliException.usage(
          "no completion for '" + shell + "'; supported shells: " + String.join(", ", SHELLS));
    }
    String script = script(shell);
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("shell", shell);
      json.put("script", script);
      console.out().println(Json.of(json));
    } else {
      console.out().print(script);
      console.out().flush();
    }
    return ExitCodes.OK;
  }

  private static String script(String shell) {
    TreeSet<String> valued = new TreeSet<>();
    StringBuilder commands = new StringBuilder();
    StringBuilder options = new StringBuilder();
    for (String command : Commands.NAMES) {
      commands.append(shell.equals("bash") ? command + " " : described(shell, command));
      options.append(
          shell.equals("fish")
              ? fish(command)
              : "    " + command + ") options=(" + String.join(" ", words(command)) + ") ;;\n");
      for (OptionSpec option : options(command)) {
        if (option.arity().max() > 0) {
          valued.add(option.longestName());
        }
      }
    }
    return Resources.text("completion/holdfast." + shell)
        .replace("@VALUED@", String.join("|", valued))
        .replace("@COMMANDS@", commands.toString().stripTrailing())
        .replace("@OPTIONS@", options.toString().stripTrailing());
  }

  private static String described(String shell, String command) {
    return shell.equals("zsh")
        ? "    '" + command + ":" + summary(command) + "'\n"
        : "complete -c holdfast -n __fish_use_subcommand -a "
            + command
            + " -d '"
            + summary(command)
            + "'\n";
  }

  /** The first line of its help. */
  private static String summary(String command) {
    String help = Resources.text("help/" + (command.equals("help") ? "main" : command) + ".txt");
    String first = help.lines().findFirst().orElse("");
    String said = first.substring(first.indexOf(':') + 1).strip();
    return command.equals("help") ? "options and examples of a command" : said.replace(".", "");
  }

  /** What may stand after a command. */
  private static List<String> words(String command) {
    List<String> words = new ArrayList<>(operands(command));
    for (OptionSpec option : options(command)) {
      words.add(option.longestName());
    }
    return words;
  }

  private static List<String> operands(String command) {
    return switch (command) {
      case "help" -> Commands.NAMES;
      case "completion" -> SHELLS;
      default -> actions(command);
    };
  }

  private static List<String> actions(String name) {
    Command command = Commands.find(name);
    return command == null ? List.of() : command.syntax().actions();
  }

  private static List<OptionSpec> options(String name) {
    Command command = Commands.find(name);
    return command == null ? List.of() : command.syntax().spec.options();
  }

  private static String fish(String command) {
    String line =
        "complete -c holdfast -n '__fish_seen_subcommand_from "
            + command
            + "; and not __holdfast_passed_dashes' ";
    StringBuilder lines = new StringBuilder();
    List<String> operands = operands(command);
    if (!operands.isEmpty()) {
      lines.append(line).append("-a '").append(String.join(" ", operands)).append("'\n");
    }
    for (OptionSpec option : options(command)) {
      lines.append(line).append("-l ").append(option.longestName().substring(2));
      if (!option.shortestName().startsWith("--")) {
        lines.append(" -s ").append(option.shortestName().substring(1));
      }
      if (option.longestName().endsWith("-file")) {
        lines.append(" -r -F");
      } else if (option.arity().max() > 0) {
        lines.append(" -x");
      }
      lines.append('\n');
    }
    return lines.toString();
  }
}
