package dev.holdfast.cli.arguments;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The arguments of a subcommand: options, operand and the user's command. */
public final class Arguments {

  private final ParseResult options;
  private final String action;
  private final List<String> operands;
  private final List<String> command;

  private Arguments(
      ParseResult options, String action, List<String> operands, List<String> command) {
    this.options = options;
    this.action = action;
    this.operands = operands;
    this.command = command;
  }

  /**
   * Sorts them.
   *
   * @throws CliException if something is unknown, missing, or too much
   */
  public static Arguments parse(Syntax syntax, List<String> words) {
    int dashes = words.indexOf("--");
    List<String> ours = dashes < 0 ? words : words.subList(0, dashes);
    List<String> rest = dashes < 0 ? List.of() : words.subList(dashes + 1, words.size());
    ParseResult parsed = parseOurs(syntax, ours);
    List<String> operands = new ArrayList<>(parsed.matchedPositionalValue(0, List.of()));
    List<String> command = List.of();
    if (!syntax.takesCommand) {
      operands.addAll(rest); // so that an operand may start with a dash
    } else if (operands.isEmpty()
        && syntax.needsOperand(parsed)
        && rest.size() > 1
        && rest.get(1).equals("--")) {
      operands.add(rest.get(0)); // the same, where a command follows: run -- -name -- COMMAND
      command = List.copyOf(rest.subList(2, rest.size()));
    } else {
      command = List.copyOf(rest);
    }
    String action = "";
    if (!syntax.actions().isEmpty() && !parsed.hasMatchedOption("--help")) {
      action = action(syntax, operands);
      operands.remove(0);
    }
    Arguments result = new Arguments(parsed, action, operands, command);
    if (!result.has("--help")) {
      result.check(syntax);
    }
    return result;
  }

  private static String action(Syntax syntax, List<String> operands) {
    if (operands.isEmpty() || !syntax.actions().contains(operands.get(0))) {
      throw CliException.usage(
          "holdfast "
              + syntax.command
              + " needs "
              + String.join(" or ", syntax.actions())
              + " as its first argument"
              + seeHelp(syntax));
    }
    return operands.get(0);
  }

  /** Which of the command's actions is meant; empty if it has none. */
  public String action() {
    return action;
  }

  public boolean has(String option) {
    return options.hasMatchedOption(option);
  }

  /** The option's value, or null if it was not given. */
  public @Nullable String value(String option) {
    return options.matchedOptionValue(option, null);
  }

  /** The operand, or empty if it was left out. */
  public String operand() {
    return operands.isEmpty() ? "" : operands.get(0);
  }

  /** The user's command and its arguments, which stood after {@code --}. */
  public List<String> command() {
    return command;
  }

  private static ParseResult parseOurs(Syntax syntax, List<String> words) {
    try {
      // A name may start with @; picocli would read the file of that name.
      return new CommandLine(syntax.spec)
          .setExpandAtFiles(false)
          .parseArgs(words.toArray(new String[0]));
    } catch (UnmatchedArgumentException e) {
      String given = e.getUnmatched().get(0);
      int equals = given.indexOf('=');
      throw unknown(syntax, equals < 0 ? given : given.substring(0, equals));
    } catch (MissingParameterException e) {
      throw CliException.usage(name(e.getMissing().get(0)) + " needs a value" + seeHelp(syntax));
    } catch (OverwrittenOptionException e) {
      throw CliException.usage(name(e.getOverwritten()) + " is given twice; once is enough");
    } catch (ParameterException e) {
      throw CliException.usage(valuedFlag(syntax, words) + " takes no value" + seeHelp(syntax));
    }
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** The remaining error of picocli, which does not name the option. */
  private static String valuedFlag(Syntax syntax, List<String> words) {
    for (String word : words) {
      int equals = word.indexOf('=');
      OptionSpec option = equals < 0 ? null : syntax.spec.findOption(word.substring(0, equals));
      if (option != null && option.arity().max() == 0) {
        return option.longestName();
      }
    }
    return "an option";
  }

  private void check(Syntax syntax) {
    if (operands.isEmpty() && syntax.needsOperand(options)) {
      throw CliException.usage("no " + syntax.operand + " given" + seeHelp(syntax));
    }
    int most = syntax.operand.isEmpty() ? 0 : 1;
    if (operands.size() > most) {
      throw CliException.usage(tooMuch(syntax, operands.get(most)));
    }
    if (syntax.takesCommand && command.isEmpty()) {
      throw CliException.usage(
          "no command given; put it after --: " + line(syntax) + " -- COMMAND");
    }
  }

  private String tooMuch(Syntax syntax, String extra) {
    return syntax.takesCommand && command.isEmpty()
        ? "put -- before the command: " + line(syntax) + " -- " + extra
        : "unexpected argument '" + extra + "'" + seeHelp(syntax);
  }

  private String line(Syntax syntax) {
    return "holdfast " + syntax.command + " " + operand();
  }

  private static CliException unknown(Syntax syntax, String given) {
    String nearest = Text.nearest(given, syntax.spec.optionsMap().keySet());
    return CliException.usage(
        "unknown option "
            + given
            + (nearest == null ? "" : "; did you mean " + nearest + "?")
            + seeHelp(syntax));
  }

  private static String seeHelp(Syntax syntax) {
    return " (see holdfast " + syntax.command + " --help)";
  }
}
